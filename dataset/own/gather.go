package own

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/token"
	"imdbexp/internal/fsx"
)

// gatherer reads the files of a data set once. Texts go to a file; what decides
// about classes and splits stays in memory, 24 bytes a review.
type gatherer struct {
	columns  tables.Options
	limits   dataset.Limits // of each file and, as budget, of all
	budget   dataset.Limits
	progress dataset.Progress
	parted   bool // a column that names the parts is gone by: nothing else says what to test on

	labels  []string       // as they were met
	index   map[string]int // by label, as written
	keys    map[string]int // by dataset.LabelKey
	merged  []string       // spellings of equal numbers
	reviews gatheredAll
	order   []int32 // see byText
	marked  int     // reviews with a rationale
	spoken  token.Language
	read    []FileRead
}

// gatheredAll grows without being copied.
type gatheredAll struct {
	chunks [][]gathered
	n      int
}

const gatheredChunk = 1 << 14

func (a *gatheredAll) add(x gathered) {
	if a.n%gatheredChunk == 0 {
		a.chunks = append(a.chunks, make([]gathered, 0, gatheredChunk))
	}
	last := len(a.chunks) - 1
	a.chunks[last] = append(a.chunks[last], x)
	a.n++
}

func (a *gatheredAll) at(i int32) *gathered { return &a.chunks[i/gatheredChunk][i%gatheredChunk] }

// all yields them in order.
func (a *gatheredAll) all(yield func(int32, *gathered) bool) {
	for i := range int32(a.n) {
		if !yield(i, a.at(i)) {
			return
		}
	}
}

// gathered is the record kept of each review.
type gathered struct {
	key   uint64 // equal for texts with the same words, see joinTwins
	words uint64 // hash of its words
	label int16  // index into labels, or Unlabelled
	part  dataset.Part
	came  dataset.Part // part in the input: dataset.Train for held-out reviews
	empty bool
}

// has reports whether a part has reviews.
func (g *gatherer) has(p dataset.Part) bool {
	for _, r := range g.reviews.all {
		if r.part == p {
			return true
		}
	}
	return false
}

// gather reads all inputs and writes their texts into a file.
func (g *gatherer) gather(ctx context.Context, inputs []input, spool string) error {
	g.index, g.keys, g.budget = map[string]int{}, map[string]int{}, g.limits
	return fsx.WriteFile(spool, func(out io.Writer) error {
		w, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		for _, in := range inputs {
			if err := g.file(ctx, in, w); err != nil {
				w.Close() // the file goes
				return err
			}
		}
		g.joinTwins()
		g.nameNumbers()
		return w.Close()
	})
}

func (g *gatherer) file(ctx context.Context, in input, w io.Writer) error {
	o := g.columns
	o.Class, o.Unlabelled = in.class, in.part == dataset.Extra
	o.Limits = tables.Limits{RecordBytes: g.limits.ReviewBytes, TotalBytes: g.limits.TotalBytes, Records: g.limits.Reviews}
	o.Progress = g.progress
	n := 0
	reader := tables.Read
	if in.eraser != "" {
		reader = func(ctx context.Context, file string, o tables.Options, yield func(tables.Record) error) (tables.How, error) {
			return readEraser(ctx, in.eraser, file, o, yield)
		}
	}
	how, err := reader(ctx, in.file, o, func(r tables.Record) error {
		n++
		return g.add(in, r, w)
	})
	if unfit := new(classError); errors.As(err, &unfit) {
		return fmt.Errorf("%w. The file was read as %s", err, how)
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s: holds no texts", in.file)
	}
	read := FileRead{File: in.file, Part: in.part, How: how, Texts: n}
	if !g.parted {
		read.How.Columns[tables.Split], read.Passed = "", how.Columns[tables.Split]
	}
	g.read = append(g.read, read)
	return nil
}

// misread adds to an error about classes how the files were read, because their
// format may have been guessed wrongly.
func (g *gatherer) misread(err error) error {
	if len(g.read) == 1 {
		how := g.read[0].How
		return fmt.Errorf("%s: %w. It was read as %s", g.read[0].File, err, strings.Join(slices.DeleteFunc([]string{how.String(), how.Guess}, func(s string) bool { return s == "" }), ". Its "))
	}
	var read []string
	for _, r := range g.read[:min(4, len(g.read))] {
		read = append(read, r.File+" as "+r.How.String())
	}
	if len(g.read) > len(read) {
		read = append(read, "…")
	}
	return fmt.Errorf("%w. Read were %s", err, strings.Join(read, "; "))
}

// splits maps the names of parts in a column, and of unlabelled folders next to the classes
// (as in aclImdb), to parts. Validation data joins train, because data.valid is sampled from
// train.
var splits = map[string]dataset.Part{
	"train": dataset.Train, "training": dataset.Train,
	"validation": dataset.Train, "valid": dataset.Train, "val": dataset.Train, "dev": dataset.Train,
	"test": dataset.Test, "testing": dataset.Test,
	"unsupervised": dataset.Extra, "unsup": dataset.Extra, "unlabelled": dataset.Extra, "unlabeled": dataset.Extra,
}

// maxLabel bounds the name of a class, in bytes.
const maxLabel = 100

func (g *gatherer) add(in input, r tables.Record, w io.Writer) error {
	if err := g.budget.Spend(int64(len(r.Text))); err != nil {
		return fmt.Errorf("%s: %w", r.Where, err)
	}
	g.marked += min(1, len(r.Rationale))
	g.spoken.Add(r.Text)
	x := gathered{label: dataset.Unlabelled, part: in.part}
	if in.class == "" && splits[r.Label] == dataset.Extra && strings.HasPrefix(r.Where, in.file+"/") {
		x.part = dataset.Extra
	}
	if g.parted && r.Split != "" {
		part, ok := splits[strings.ToLower(r.Split)]
		if !ok {
			return fmt.Errorf("%s: %s is none of the parts train, validation, test and unsupervised: name it so, or give --test-fraction, and nothing goes by that column", r.Where, stream.Quote(r.Split))
		}
		x.part = part
	}
	if x.part != dataset.Extra {
		label, err := g.label(r, in.part)
		if err != nil {
			return err
		}
		x.label = int16(label)
	}
	x.came = x.part
	g.remember(x, r.Text)
	head := binary.AppendUvarint(nil, uint64(len(r.Text)))
	head = binary.AppendUvarint(head, uint64(len(r.Rationale)))
	for _, s := range r.Rationale {
		head = binary.AppendUvarint(binary.AppendUvarint(head, uint64(s[0])), uint64(s[1]))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := io.WriteString(w, r.Text)
	return err
}

// label returns the class of a label. Equal numbers are one class, named as in the first review.
func (g *gatherer) label(r tables.Record, p dataset.Part) (int, error) {
	if i, ok := g.index[r.Label]; ok {
		return i, nil
	}
	key := dataset.LabelKey(r.Label)
	_, number := dataset.LabelNumber(r.Label)
	before, met := g.keys[key]
	switch {
	case r.Label == "":
		return 0, fmt.Errorf("%s: has no label: give it one, or add the text with --unlabelled", r.Where)
	case met && number:
		g.index[r.Label] = before
		return before, nil
	case met:
		return 0, &classError{r.Where, fmt.Sprintf("the labels %+q and %+q differ only in case, invisible characters or how letters are stored: write both alike if they are one class, else choose other names",
			g.labels[before], r.Label)}
	case p == dataset.Test:
		return 0, &classError{r.Where, fmt.Sprintf("the label %s is in no training file", stream.Quote(r.Label))}
	case len(g.labels) == maxClasses:
		return 0, &classError{r.Where, fmt.Sprintf("%s is label number %d, and a data set has at most %d classes: are these labels? Before it came %s",
			stream.Quote(r.Label), maxClasses+1, maxClasses, stream.Listed(append([]string(nil), g.labels...)))}
	case len(r.Label) > maxLabel || strings.ContainsFunc(r.Label, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return 0, &classError{r.Where, fmt.Sprintf("the label %s: choose a name of up to %d letters on one line", stream.Quote(r.Label), maxLabel)}
	}
	g.labels = append(g.labels, r.Label)
	g.index[r.Label], g.keys[key] = len(g.labels)-1, len(g.labels)-1
	return len(g.labels) - 1, nil
}

// nameNumbers names each class of equal numbers by its shortest spelling, so that its name does not
// depend on the order of the reviews.
func (g *gatherer) nameNumbers() {
	for spelling, class := range g.index {
		now := g.labels[class]
		if len(spelling) < len(now) || len(spelling) == len(now) && spelling < now {
			g.labels[class] = spelling
		}
	}
	for spelling, class := range g.index {
		if g.labels[class] != spelling {
			g.merged = append(g.merged, fmt.Sprintf("%q as %q", spelling, g.labels[class]))
		}
	}
	slices.Sort(g.merged)
}

// classError says that a label cannot be.
type classError struct{ where, what string }

func (e *classError) Error() string { return e.where + ": " + e.what }

// texts calls f for each text of the spool, in order, with its rationale.
func (g *gatherer) texts(ctx context.Context, in io.Reader, f func(r *gathered, text []byte, rationale [][2]int) error) error {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	r := bufio.NewReaderSize(z, 1<<16)
	var buf []byte
	var spans [][2]int
	for _, x := range g.reviews.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if spans, err = readSpans(r, spans[:0]); err != nil {
			return err
		}
		if uint64(cap(buf)) < n {
			buf = make([]byte, n+n/2)
		}
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return err
		}
		if err := f(x, buf[:n], spans); err != nil {
			return err
		}
	}
	return nil
}

func readSpans(r io.ByteReader, spans [][2]int) ([][2]int, error) {
	n, err := binary.ReadUvarint(r)
	for ; n > 0 && err == nil; n-- {
		var from, to uint64
		if from, err = binary.ReadUvarint(r); err == nil {
			to, err = binary.ReadUvarint(r)
		}
		spans = append(spans, [2]int{int(from), int(to)})
	}
	return spans, err
}
