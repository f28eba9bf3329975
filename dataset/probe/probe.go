// Package probe holds minimal pairs: a text and its rewriting, changed as little as possible so that
// another label is right (Kaushik, Hovy and Lipton 2020; Gardner et al. 2020, contrast sets). They
// test a model and are never trained on.
package probe

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/token"
)

// Pair is a text and its rewriting, with their labels as they were written.
type Pair struct {
	ID        string `json:"id"`
	Set       string `json:"set"` // the set of pairs that it belongs to, such as cad_test
	Original  Text   `json:"original"`
	Rewritten Text   `json:"rewritten"`
}

// Text is a text and its label.
type Text struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// The names of the texts of a pair are its ID and one of these.
const (
	OriginalText  = "/original"
	RewrittenText = "/rewritten"
)

// Probe is a data set of minimal pairs.
type Probe struct {
	Name  string
	Pairs []Pair
}

// Sets returns the names of its sets, in the order of the pairs.
func (p *Probe) Sets() (names []string) {
	for _, x := range p.Pairs {
		if !slices.Contains(names, x.Set) {
			names = append(names, x.Set)
		}
	}
	return names
}

// Texts yields all originals and rewritings.
func (p *Probe) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, x := range p.Pairs {
			if !yield(x.Original.Text) || !yield(x.Rewritten.Text) {
				return
			}
		}
	}
}

// Digest identifies the content of a probe.
func (p *Probe) Digest() string {
	b := []byte("imdbexp probe 1\n")
	for _, x := range p.Pairs {
		for _, s := range []string{x.ID, x.Set, x.Original.Label, x.Original.Text, x.Rewritten.Label, x.Rewritten.Text} {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Source yields the texts of a probe as test reviews, ID/original and ID/rewritten. The words that
// differ in a pair are their rationales: people changed them for another label to be right.
type Source struct {
	*Probe
	Shown string // what messages call the probe
}

// String implements dataset.Source.
func (s Source) String() string { return s.Shown }

// TestOnly says that nothing is there to train on.
func (Source) TestOnly() bool { return true }

// HasRationales says that reviews have rationales.
func (Source) HasRationales() bool { return true }

// Classes returns the labels in order; neg and pos for negative and positive, as IMDB has them.
func (s Source) Classes() []string {
	var keys []string
	for _, x := range s.Pairs {
		keys = append(keys, dataset.LabelKey(x.Original.Label), dataset.LabelKey(x.Rewritten.Label))
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); slices.Equal(keys, []string{"negative", "positive"}) {
		return []string{"neg", "pos"}
	}
	return keys
}

// Reviews implements dataset.Source.
func (s Source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	classes := s.Classes()
	class := func(label string) int {
		key := dataset.LabelKey(label)
		return slices.IndexFunc(classes, func(c string) bool {
			return c == key || c == "neg" && key == "negative" || c == "pos" && key == "positive"
		})
	}
	for _, x := range s.Pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, second := token.Tokens(token.PTB, x.Original.Text), token.Tokens(token.PTB, x.Rewritten.Text)
		inFirst, inSecond := dataset.Changed(words(first), words(second))
		err := yield(dataset.Test, dataset.Review{ID: x.ID + OriginalText, Text: x.Original.Text, Label: class(x.Original.Label), Rationale: spans(first, inFirst)})
		if err == nil {
			err = yield(dataset.Test, dataset.Review{ID: x.ID + RewrittenText, Text: x.Rewritten.Text, Label: class(x.Rewritten.Label), Rationale: spans(second, inSecond)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func words(list []token.Token) (out []string) {
	for _, t := range list {
		out = append(out, t.Word)
	}
	return out
}

// spans returns the changed words; an empty list if nothing has changed.
func spans(list []token.Token, changed []bool) []dataset.Span {
	out := []dataset.Span{}
	for i, is := range changed {
		if is {
			out = append(out, dataset.Span{Start: list[i].Start, End: list[i].End})
		}
	}
	return out
}

// format is the version of the file of a probe in the data folder: gzipped lines of JSON, a header
// and one line for each pair.
const format = 1

type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   int      `json:"pairs"`
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// Limits of a probe, which is kept in memory whole.
const (
	maxText  = 1 << 20
	maxBytes = 1 << 30
	maxPairs = 1_000_000
)

// Write writes a probe into a file.
func (p *Probe) Write(to string, sources []string) error {
	return jsonl.WriteAll(to, header{format, p.Name, len(p.Pairs), sources}, p.Pairs)
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	return h.Format, h.Pairs, h.Pairs > 0 && h.Pairs <= maxPairs
}

// Open reads a probe from a file that Write wrote. shown is what messages call the file.
func Open(ctx context.Context, path, shown string, progress dataset.Progress) (*Probe, error) {
	var h header
	p := new(Probe)
	f := jsonl.File{Path: path, Shown: shown, Format: format, Progress: progress}
	err := jsonl.Read(ctx, f, &h, func(_ string, x *Pair) error {
		if x.ID == "" || x.Set == "" || x.Original.Label == "" || x.Rewritten.Label == "" {
			return jsonl.Bad("a name or a label is missing")
		}
		p.Pairs = append(p.Pairs, *x)
		return nil
	})
	p.Name = h.Name
	return p, err
}

// Files names the files of a probe. A file has both texts of each pair if a column pairs its rows
// (batch_id, pair_id or pair; the original comes first), or if it has a column for each
// (original and rewritten, with the labels in label or original_label, and rewritten_label). Any
// other file has the originals, and the file named after it their rewritings, row by row.
type Files struct {
	Name   string
	Files  []string
	Read   tables.Options // header and the like
	Force  bool           // replace a probe with this name
	Digest string         // that the probe must have; "" is any
}

// FileRead is a file and how it was read.
type FileRead struct {
	File string
	How  tables.How
}

// usualPairs are the usual names of the column that pairs the rows of a file.
var usualPairs = []string{"batch_id", "pair_id", "pair"}

// Gather reads the pairs of all files.
func (f *Files) Gather(ctx context.Context, progress dataset.Progress) (p *Probe, sources []FileRead, err error) {
	p = &Probe{Name: f.Name}
	o := f.Read
	o.Progress = progress
	o.Limits = dataset.Limits{ReviewBytes: maxText, TotalBytes: maxBytes, Reviews: 2 * maxPairs}
	fileOf := map[string]string{} // by set
	for rest := f.Files; len(rest) > 0; {
		file := rest[0]
		pairs, read, err := readPairs(ctx, rest, o)
		if err != nil {
			return nil, nil, err
		}
		rest, sources = rest[len(read):], append(sources, read...)
		set := setName(file)
		if other := fileOf[set]; other != "" {
			return nil, nil, fmt.Errorf("%s and %s would both be the set %s, which is called after its file: rename one", other, file, set)
		}
		fileOf[set] = file
		for n, x := range pairs {
			if x.Original.Label == "" || x.Rewritten.Label == "" {
				return nil, nil, fmt.Errorf("%s: pair %d has a text without a label", file, n+1)
			}
			x.Set, x.ID = set, fmt.Sprintf("%s/%05d", set, n+1)
			p.Pairs = append(p.Pairs, x)
		}
	}
	if len(p.Pairs) == 0 {
		return nil, nil, errors.New("no pairs: name a file of texts and their rewritings")
	}
	return p, sources, nil
}

// setName is the name of a file without what says how it is packed, or which side of pairs it has.
func setName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	for _, end := range []string{"_paired", "_original", "_originals"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

func rows(ctx context.Context, file string, o tables.Options) (all []tables.Record, how tables.How, err error) {
	how, err = tables.Read(ctx, file, o, func(r tables.Record) error {
		all = append(all, r)
		return nil
	})
	return all, how, err
}

// readPairs reads the pairs of the first file, or of the first two.
func readPairs(ctx context.Context, files []string, o tables.Options) (pairs []Pair, read []FileRead, err error) {
	file, given := files[0], o.Columns
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a folder; name the files of the probe", file)
	}
	for _, column := range usualPairs {
		o.Columns[tables.ID] = column
		all, how, err := rows(ctx, file, o)
		if tables.NoColumn(err) {
			continue
		}
		if err == nil {
			pairs, err = pairUp(file, column, all)
		}
		return pairs, []FileRead{{file, how}}, err
	}
	var first []tables.Record
	var how tables.How
	for _, label := range []string{"original_label", "label"} {
		o.Columns = [tables.Roles]string{tables.Text: "original", tables.Label: label}
		if first, how, err = rows(ctx, file, o); !tables.NoColumn(err) {
			break
		}
	}
	with := file
	o.Columns = [tables.Roles]string{tables.Text: "rewritten", tables.Label: "rewritten_label"}
	if tables.NoColumn(err) {
		if len(files) == 1 {
			return nil, nil, fmt.Errorf("%s: has one text in a row and no column batch_id, pair_id or pair: name the file of the rewritings after it", file)
		}
		with, o.Columns = files[1], given
		first, how, err = rows(ctx, file, o)
	}
	if err != nil {
		return nil, nil, err
	}
	second, other, err := rows(ctx, with, o)
	if err == nil && len(first) != len(second) {
		err = fmt.Errorf("%s has %d texts and %s %d: they pair row by row, so both need the same number", file, len(first), with, len(second))
	}
	if err != nil {
		return nil, nil, err
	}
	for i, r := range first {
		pairs = append(pairs, Pair{Original: Text{r.Label, r.Text}, Rewritten: Text{second[i].Label, second[i].Text}})
	}
	if read = []FileRead{{file, how}}; with != file {
		read = append(read, FileRead{with, other})
	}
	return pairs, read, nil
}

// pairUp joins the two rows that have one value in a column.
func pairUp(file, column string, all []tables.Record) (pairs []Pair, err error) {
	at := map[string]int{}
	for _, r := range all {
		text := Text{r.Label, r.Text}
		switch i, second := at[r.ID]; {
		case r.ID == "":
			return nil, fmt.Errorf("%s: %s is empty", r.Where, column)
		case !second:
			at[r.ID] = len(pairs)
			pairs = append(pairs, Pair{ID: r.ID, Original: text})
		case pairs[i].ID == "":
			return nil, fmt.Errorf("%s: a third text of %s %s, and a pair has two", r.Where, column, r.ID)
		default:
			pairs[i].Rewritten, pairs[i].ID = text, ""
		}
	}
	for _, x := range pairs {
		if x.ID != "" {
			return nil, fmt.Errorf("%s: %s %s has one text, and a pair has two: %s", file, column, x.ID, stream.Quote(x.Original.Text))
		}
	}
	return pairs, nil
}
