package data

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

func newInfo(a *cli.App) *cobra.Command {
	tokens, as := token.Default, ""
	cmd := &cobra.Command{
		Use:   "info [NAME]",
		Short: "Describe a corpus: reviews, words, labels, lengths, words without a vector",
		Long: `Describe a corpus: reviews, words, labels, lengths, and the share of its words without
a vector in each installed set; of sentence pairs both sides. Without a name: the default
data of exp run.`,
		Example:           "  exp data info sample\n  exp data info imdb --tokens whitespace\n  exp data info phrases",
		Args:              cli.Words(0, 1, ""),
		ValidArgsFunction: a.CompleteInstalled([]folder.Kind{folder.CorpusKind, folder.PairsKind, folder.ProbeKind}, "sample", phrases.Name),
		RunE: func(cmd *cobra.Command, args []string) error {
			return describeNamed(cmd.Context(), a, args, tokens, as)
		},
	}
	cmd.Flags().StringVar(&tokens, "tokens", token.Default, "tokeniser: "+cli.OneOf(token.Names()))
	cli.FormatFlag(cmd, &as, cli.ListFormats)
	return cmd
}

func describeNamed(ctx context.Context, a *cli.App, args []string, tokens, as string) error {
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	name := auto.Data
	if len(args) > 0 {
		name = args[0]
	}
	if _, err := token.Get(tokens); err != nil {
		return cli.Usage(err)
	}
	switch kind, err := folder.KindOf(dir, name); {
	case err != nil:
		return err
	case kind == folder.ProbeKind:
		p, err := folder.Probe(ctx, dir, name, folder.Options{})
		if err != nil {
			return err
		}
		return cli.PrintTable(a.IO, as, probeTable(p))
	case kind == folder.PairsKind:
		return describePairs(ctx, a.IO, dir, name, tokens, as)
	}
	return describeCorpus(ctx, a, dir, name, tokens, as)
}

// sizes returns a table of the sizes of a corpus by part; unit is what a text is called, last the head of the last
// column, classes those of the labels that have a column.
func sizes(unit, last string, classes []string, parts []counts, number func(int) string) *term.Table {
	t := term.NewTable(term.Column{Head: "split"}, right(unit, 0), right("words", 0), right("different", 0),
		right("median", 0), right("p95", 1), right("max", 0), right(last, 1))
	for _, c := range classes {
		t.Columns = append(t.Columns, right("class "+c, 0))
	}
	for _, c := range parts {
		row := []string{c.part}
		for _, n := range slices.Concat([]int{c.texts, c.words, c.types}, c.lengths[:], []int{c.last}, c.labels[:len(classes)]) {
			row = append(row, number(n))
		}
		t.Add(row...)
	}
	return t
}

// describe prints the sizes of a corpus by part.
func describe(io *term.IO, as, title, digest, unit, last string, classes []string, parts []counts) error {
	if as != "text" {
		return cli.PrintTable(io, as, sizes(unit, last, classes, parts, strconv.Itoa))
	}
	io.Say(title, "", "  ")
	io.Printf("digest %s\n", term.Cut(digest, io.Width()-len("digest ")))
	io.Heading("splits")
	sizes(unit, last, classes, parts, format.Thousands).Text(io, "  ")
	note := "median, p95 (95 % are not longer) and max: words of one of the " + unit
	if last == "empty" {
		note += "; a run reads an empty one as one word"
	}
	io.Say(note, "  ", "  ")
	return nil
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

// describeCorpus describes a corpus with its unlabelled reviews, and what share of its words each set of vectors lacks.
func describeCorpus(ctx context.Context, a *cli.App, dir, name, tokens, as string) error {
	reading, _, stop := progress.Watching(a.IO)
	defer stop()
	o := folder.Options{Tokenizer: tokens, Extra: true, Warn: a.Warn, Progress: reading}
	c, err := folder.Corpus(ctx, dir, name, o)
	if err != nil {
		return err
	}
	t := term.NewTable(term.Column{Head: "vectors"}, right("dimensions", 0), right("of train", 0), right("of test", 0), right("of the different words", 0))
	for _, name := range a.InstalledNames(folder.VectorsKind) {
		v, err := folder.Vectors(ctx, dir, name, c, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if stop(); err != nil { // describe the corpus without them
			a.Warn(err)
			continue
		}
		cells := []string{v.Name, fmt.Sprint(v.Dim)}
		for _, x := range withoutVector(c, v) {
			cells = append(cells, fmt.Sprintf("%.2f %%", 100*x))
		}
		t.Add(cells...)
	}
	stop()
	title := fmt.Sprintf("%s, tokens=%s: %s different words", c.Name, c.Tokenizer, format.Thousands(len(c.Vocab.Words)))
	if err := describe(a.IO, as, title, c.Digest, "reviews", "empty", c.Classes, countCorpus(c)); err != nil || as != "text" || len(t.Rows) == 0 {
		return err
	}
	a.Heading("without a vector")
	t.Text(a.IO, "  ")
	return nil
}

// describePairs describes both sides of sentence pairs.
func describePairs(ctx context.Context, io *term.IO, dir, name, tokens, as string) error {
	reading, _, stop := progress.Watching(io)
	p, err := folder.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	var sides []counts
	for part, e := range []*dataset.Encoded{dataset.Train: p.Train, dataset.Test: p.Test} {
		sides = append(sides, countSide(dataset.Part(part), "source", e, p.Source), countSide(dataset.Part(part), "target", e.Targets, p.Target))
	}
	title := fmt.Sprintf("%s, tokens=%s: sentence pairs", p.Name, p.Tokenizer)
	return describe(io, as, title, p.Digest, "sentences", "not in train", nil, sides)
}

// counts are the numbers of one split of a corpus, or of one side of sentence pairs.
type counts struct {
	part    string
	texts   int
	labels  []int // [C] reviews of each class
	words   int
	types   int    // different words
	lengths [3]int // words of a text: the median, 95 % (nearest rank), and the largest
	last    int    // empty reviews, which count as one word without vector; of pairs the words that train lacks
}

// countSplit counts a split of a corpus with that many classes and different words.
func countSplit(part string, s *dataset.Split, classes, vocab int) counts {
	d := counts{part: part, texts: s.Len(), labels: make([]int, classes), words: len(s.IDs), types: len(seen(vocab, s))}
	lengths, empty := make([]int, s.Len()), 0
	for b, l := range s.Labels {
		if l >= 0 {
			d.labels[l]++
		}
		if lengths[b] = len(s.Words(b)); lengths[b] == 0 {
			empty++
		}
	}
	slices.Sort(lengths)
	for i, percent := range []int{50, 95, 100} {
		d.lengths[i] = lengths[(percent*len(lengths)+99)/100-1]
	}
	d.last = empty
	return d
}

// seen returns the different words of splits.
func seen(vocab int, splits ...*dataset.Split) (ids []int32) {
	known := make([]bool, vocab)
	for _, s := range splits {
		for _, id := range s.IDs {
			if !known[id] {
				known[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// countCorpus counts the splits of a corpus.
func countCorpus(c *dataset.Corpus) (out []counts) {
	for p := range dataset.Parts {
		if s := c.Part(p); s.Len() > 0 {
			out = append(out, countSplit(p.String(), s, len(c.Classes), len(c.Vocab.Words)))
		}
	}
	return out
}

// withoutVector returns which shares of the words of train and test, and of their different words,
// have no vector.
func withoutVector(c *dataset.Corpus, v *vectors.Set) (out [3]float64) {
	index := dataset.Index(v.Words)
	for i, ids := range [][]int32{c.Train.IDs, c.Test.IDs, seen(len(c.Vocab.Words), &c.Train, &c.Test)} {
		for _, id := range ids {
			if _, known := index[c.Vocab.Words[id]]; !known {
				out[i] += 1 / float64(len(ids))
			}
		}
	}
	return out
}

// countSide counts one side of sentence pairs.
func countSide(part dataset.Part, side string, e *dataset.Encoded, words *pairs.Words) counts {
	s := &dataset.Split{IDs: e.IDs, Offsets: e.Offsets, Labels: e.Labels, Names: e.Names}
	c := countSplit(part.String()+" "+side, s, 1, words.Len())
	c.last = 0
	for _, id := range e.IDs {
		if id == pairs.UnknownID {
			c.last++
		}
	}
	return c
}
