package data

import (
	"context"
	"fmt"

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
	tokens := token.Default
	cmd := &cobra.Command{
		Use:   "info [NAME]",
		Short: "Describe a corpus: reviews, words, labels, lengths, words without a vector",
		Long: `Describe a corpus: reviews, words, labels, lengths, and the share of its words without
a vector in each installed set; for sentence pairs the words and lengths of both sides.
Without a name: the default data of exp run.`,
		Example:           "  exp data info sample\n  exp data info imdb --tokens whitespace\n  exp data info phrases",
		Args:              cli.Words(0, 1, ""),
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.CorpusKind, folder.PairsKind, folder.ProbeKind}, "sample", phrases.Name),
		RunE:              func(cmd *cobra.Command, args []string) error { return describeNamed(cmd.Context(), a, args, tokens) },
	}
	cmd.Flags().StringVar(&tokens, "tokens", token.Default, "tokeniser: "+cli.OneOf(token.Names()))
	return cmd
}

func describeNamed(ctx context.Context, a *cli.App, args []string, tokens string) error {
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
		describeProbe(a.IO, p)
		return nil
	case kind == folder.PairsKind:
		return describePairs(ctx, a.IO, dir, name, tokens)
	}
	c, sets, err := read(ctx, a, dir, name, tokens)
	if err != nil {
		return err
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

func describeCorpus(io *term.IO, c *dataset.Corpus, sets []*vectors.Set) {
	io.Say(fmt.Sprintf("%s, tokens=%s: %s different words", c.Name, c.Tokenizer, format.Thousands(c.Vocab.Len())), "", "  ")
	io.Printf("digest %s\n", term.Cut(c.Digest, io.Width()-len("digest ")))
	splits := countCorpus(c)
	describeSplits(io, splits, c.Classes)
	io.Heading("words of a review")
	t := term.NewTable(append([]term.Column{{Head: "split"}}, lengthColumns()...)...)
	for _, s := range splits {
		t.Add(append([]string{s.part}, s.lengthCells()...)...)
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

// lengthColumns are those of lengthCells.
func lengthColumns() []term.Column {
	return []term.Column{right("mean", 0), right("min", 0), right("5 %", 0), right("25 %", 0),
		right("median", 0), right("75 %", 0), right("95 %", 0), right("99 %", 1), right("max", 0)}
}

// lengthCells describe the lengths of texts.
func (s counts) lengthCells() []string {
	cells := []string{fmt.Sprintf("%.1f", s.mean)}
	for _, n := range s.lengths {
		cells = append(cells, format.Thousands(n))
	}
	return cells
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

// describeSplits prints how many reviews and words each split has, and how many reviews of each class.
func describeSplits(io *term.IO, splits []counts, classes []string) {
	io.Heading("splits")
	t := term.NewTable(term.Column{Head: "split"}, right("reviews", 0), right("words", 0), right("different", 0), right("empty", 1))
	columns := []term.Column{{Head: "class"}}
	for _, s := range splits {
		t.Add(s.part, format.Thousands(s.texts), format.Thousands(s.words), format.Thousands(s.types), format.Thousands(s.empty))
		columns = append(columns, right(s.part, 0))
	}
	t.Text(io, "  ")
	io.Heading("classes")
	t = term.NewTable(columns...)
	for l, class := range classes {
		cells := []string{term.Cut(class, 40)}
		for _, s := range splits {
			cells = append(cells, format.Thousands(s.labels[l]))
		}
		t.Add(cells...)
	}
	t.Text(io, "  ")
}

// describePairs counts sentence pairs.
func describePairs(ctx context.Context, io *term.IO, dir, name, tokens string) error {
	reading, _, stop := progress.Watching(io)
	p, err := folder.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	io.Say(fmt.Sprintf("%s, tokens=%s: sentence pairs", p.Name, p.Tokenizer), "", "  ")
	io.Printf("digest %s\n", term.Cut(p.Digest, io.Width()-len("digest ")))
	sizes := term.NewTable(term.Column{Head: "split"}, term.Column{Head: "side"}, right("sentences", 0), right("words", 0), right("different", 0), right("not in train", 1))
	lengths := term.NewTable(append([]term.Column{{Head: "split"}, {Head: "side"}}, lengthColumns()...)...)
	for part, e := range []*dataset.Encoded{dataset.Train: p.Train, dataset.Test: p.Test} {
		for i, side := range []*dataset.Encoded{e, e.Targets} {
			s, unknown := countSide(dataset.Part(part), side, []*pairs.Words{p.Source, p.Target}[i])
			row := []string{s.part, []string{"source", "target"}[i]}
			sizes.Add(append(row, format.Thousands(s.texts), format.Thousands(s.words), format.Thousands(s.types), format.Percent(unknown))...)
			lengths.Add(append(row, s.lengthCells()...)...)
		}
	}
	io.Heading("splits")
	sizes.Text(io, "  ")
	io.Heading("words of a sentence")
	lengths.Text(io, "  ")
	io.Heading("the first ones of test")
	t := term.NewTable(term.Column{Head: "source"}, term.Column{Head: "target"})
	for _, x := range p.TestText[:min(3, len(p.TestText))] {
		t.Add(x.Source, x.Target)
	}
	t.Text(io, "  ")
	return nil
}
