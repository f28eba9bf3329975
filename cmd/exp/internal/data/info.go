package data

import (
	"context"
	"fmt"
	"slices"

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
a vector in each installed set; for sentence pairs the words and lengths of both sides.
Without a name: the default data of exp run. csv, tsv and json have the sizes of the
splits, and of labelled texts those of the classes.`,
		Example:           "  exp data info sample\n  exp data info imdb --tokens whitespace\n  exp data info phrases",
		Args:              cli.Words(0, 1, ""),
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.CorpusKind, folder.PairsKind, folder.ProbeKind}, "sample", phrases.Name),
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
		if as != "text" {
			return probeTable(p).Records().Write(a.IO.Verbatim(), as)
		}
		probeTable(p).Text(a.IO, "  ")
		return nil
	case kind == folder.PairsKind:
		return describePairs(ctx, a.IO, dir, name, tokens, as)
	}
	c, sets, err := read(ctx, a, dir, name, tokens)
	if err != nil {
		return err
	}
	if as != "text" {
		return records("reviews", c.Classes, countCorpus(c)).Write(a.IO.Verbatim(), as)
	}
	describeCorpus(a.IO, c, sets)
	return nil
}

// read reads a corpus with its unlabelled reviews, and all vectors.
func read(ctx context.Context, a *cli.App, dir, name, tokens string) (c *dataset.Corpus, sets []*vectors.Set, err error) {
	reading, _, stop := progress.Watching(a.IO)
	defer stop()
	o := folder.Options{Tokenizer: tokens, Extra: true, Warn: a.Warn, Progress: reading}
	if c, err = folder.Corpus(ctx, dir, name, o); err != nil {
		return nil, nil, err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items {
		if i.Kind != folder.VectorsKind {
			continue
		}
		v, err := folder.Vectors(ctx, dir, i.Name, c, o)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil: // describe the corpus without them
			stop()
			a.Warn(err)
		default:
			sets = append(sets, v)
		}
	}
	return c, sets, nil
}

// describe prints the sizes of a corpus by part; unit is what a text is called, last the head of the last column.
func describe(io *term.IO, title, digest, unit, last string, parts []counts) {
	io.Say(title, "", "  ")
	io.Printf("digest %s\n", term.Cut(digest, io.Width()-len("digest ")))
	io.Heading("splits")
	t := term.NewTable(term.Column{Head: "split"}, right(unit, 0), right("words", 0), right("different", 0),
		right("mean", 0), right("median", 0), right("95 %", 1), right("max", 0), right(last, 1))
	for _, c := range parts {
		cells := []string{c.part}
		for _, n := range []int{c.texts, c.words, c.types} {
			cells = append(cells, format.Thousands(n))
		}
		cells = append(cells, fmt.Sprintf("%.1f", float64(c.words)/float64(c.texts)))
		for _, n := range c.lengths {
			cells = append(cells, format.Thousands(n))
		}
		t.Add(append(cells, c.last)...)
	}
	t.Text(io, "  ")
	note := "mean, median, 95 % and max: words of one of the " + unit
	if last == "empty" {
		note += "; a run reads an empty one as one word"
	}
	io.Say(note, "  ", "  ")
}

// records has the sizes of a corpus by part for programs; classes are those of its labels.
func records(unit string, classes []string, parts []counts) term.Records {
	out := term.Records{{"split", unit, "words", "different", "median", "p95", "max"}}
	for _, c := range classes {
		out[0] = append(out[0], "class "+c)
	}
	for _, c := range parts {
		row := []string{c.part}
		for _, n := range slices.Concat([]int{c.texts, c.words, c.types}, c.lengths[:], c.labels[:len(classes)]) {
			row = append(row, fmt.Sprint(n))
		}
		out = append(out, row)
	}
	return out
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

func describeCorpus(io *term.IO, c *dataset.Corpus, sets []*vectors.Set) {
	parts := countCorpus(c)
	describe(io, fmt.Sprintf("%s, tokens=%s: %s different words", c.Name, c.Tokenizer, format.Thousands(len(c.Vocab.Words))), c.Digest, "reviews", "empty", parts)
	io.Heading("classes")
	columns := []term.Column{{Head: "class"}}
	for _, p := range parts {
		columns = append(columns, right(p.part, 0))
	}
	t := term.NewTable(columns...)
	for l, class := range c.Classes {
		cells := []string{term.Cut(class, 40)}
		for _, p := range parts {
			cells = append(cells, format.Thousands(p.labels[l]))
		}
		t.Add(cells...)
	}
	t.Text(io, "  ")
	if len(sets) == 0 {
		return
	}
	io.Heading("without a vector")
	t = term.NewTable(term.Column{Head: "vectors"}, right("dimensions", 0), right("of train", 0), right("of test", 0), right("of the different words", 0))
	for _, v := range sets {
		cells := []string{v.Name, fmt.Sprint(v.Dim)}
		for _, x := range withoutVector(c, v) {
			cells = append(cells, fmt.Sprintf("%.2f %%", 100*x))
		}
		t.Add(cells...)
	}
	t.Text(io, "  ")
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
	if as != "text" {
		return records("sentences", nil, sides).Write(io.Verbatim(), as)
	}
	describe(io, fmt.Sprintf("%s, tokens=%s: sentence pairs", p.Name, p.Tokenizer), p.Digest, "sentences", "not in train", sides)
	return nil
}
