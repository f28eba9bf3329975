package data

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/describe"
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
		Example: "  exp data info sample\n  exp data info imdb --tokens whitespace\n  exp data info phrases",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("info takes one corpus; %s is another", args[1])
			}
			return nil
		},
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.CorpusKind, folder.PairsKind}, "sample", phrases.Name),
		RunE:              func(cmd *cobra.Command, args []string) error { return describeNamed(cmd.Context(), a, args, tokens) },
	}
	cmd.Flags().StringVar(&tokens, "tokens", token.Default, "tokeniser: "+cli.OneOf(token.Names()))
	cmd.RegisterFlagCompletionFunc("tokens", cobra.FixedCompletions(token.Names(), cobra.ShellCompDirectiveNoFileComp))
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
	case kind == folder.PairsKind:
		return describePairs(ctx, a.IO, dir, name, tokens)
	}
	d, err := count(ctx, a, dir, name, tokens)
	if err != nil {
		return err
	}
	return describeCorpus(a.IO, d)
}

// count reads a corpus with its unlabelled reviews, and all vectors.
func count(ctx context.Context, a *cli.App, dir, name, tokens string) (none describe.Description, err error) {
	reading, _, stop := progress.Watching(a.IO)
	defer stop()
	o := folder.Options{Tokenizer: tokens, Extra: true, Warn: a.Warn, Progress: reading}
	c, err := folder.Corpus(ctx, dir, name, o)
	if err != nil {
		return none, err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return none, err
	}
	var vectors []*vectors.Set
	for _, i := range items {
		if i.Kind != folder.VectorsKind {
			continue
		}
		v, err := folder.Vectors(ctx, dir, i.Name, c, o)
		switch {
		case ctx.Err() != nil:
			return none, ctx.Err()
		case err != nil: // describe the corpus without them
			stop()
			a.Warn(err)
		default:
			vectors = append(vectors, v)
		}
	}
	return describe.Corpus(c, vectors...), nil
}

func describeCorpus(io *term.IO, d describe.Description) error {
	io.Printf("%s, tokens=%s: %s different words\n", d.Name, d.Tokenizer, format.Thousands(d.Types))
	io.Printf("digest %s\n", term.Cut(d.Digest, io.Width()-len("digest ")))
	if err := describeSplits(io, d); err != nil {
		return err
	}
	io.Heading("words of a review")
	t := term.NewTable(append([]term.Column{{Head: "split"}}, lengthColumns()...)...)
	for _, s := range d.Splits {
		t.Add(append([]string{s.Part.String()}, lengthCells(s)...)...)
	}
	if err := t.Text(io, "  "); err != nil {
		return err
	}
	if len(d.Coverage) == 0 {
		return nil
	}
	io.Heading("without a vector")
	t = term.NewTable(term.Column{Head: "vectors"}, right("dimensions", 0), right("of train", 0), right("of test", 0), right("of the different words", 0))
	for _, c := range d.Coverage {
		t.Add(c.Vectors, fmt.Sprint(c.Dim), fmt.Sprintf("%.2f %%", 100*c.OOVTrain), fmt.Sprintf("%.2f %%", 100*c.OOVTest), fmt.Sprintf("%.2f %%", 100*c.OOVTypes))
	}
	return t.Text(io, "  ")
}

// lengthColumns are those of lengthCells.
func lengthColumns() []term.Column {
	return []term.Column{right("mean", 0), right("min", 0), right("5 %", 0), right("25 %", 0),
		right("median", 0), right("75 %", 0), right("95 %", 0), right("99 %", 1), right("max", 0)}
}

// lengthCells describe the lengths of texts.
func lengthCells(s describe.Split) []string {
	l := s.Lengths
	cells := []string{fmt.Sprintf("%.1f", s.Mean)}
	for _, n := range []int{l.Min, l.P5, l.P25, l.P50, l.P75, l.P95, l.P99, l.Max} {
		cells = append(cells, format.Thousands(n))
	}
	return cells
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

// describeSplits prints how many reviews and words each split has, and how many reviews of each class.
func describeSplits(io *term.IO, d describe.Description) error {
	io.Heading("splits")
	t := term.NewTable(term.Column{Head: "split"}, right("reviews", 0), right("words", 0), right("different", 0), right("empty", 1))
	columns := []term.Column{{Head: "class"}}
	for _, s := range d.Splits {
		t.Add(s.Part.String(), format.Thousands(s.Reviews), format.Thousands(s.Words), format.Thousands(s.Types), format.Thousands(s.Empty))
		columns = append(columns, right(s.Part.String(), 0))
	}
	if err := t.Text(io, "  "); err != nil {
		return err
	}
	io.Heading("classes")
	t = term.NewTable(columns...)
	for l, class := range d.Classes {
		cells := []string{term.Cut(class, 40)}
		for _, s := range d.Splits {
			cells = append(cells, format.Thousands(s.Labels[l]))
		}
		t.Add(cells...)
	}
	return t.Text(io, "  ")
}

// describePairs counts sentence pairs.
func describePairs(ctx context.Context, io *term.IO, dir, name, tokens string) error {
	reading, _, stop := progress.Watching(io)
	p, err := folder.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	d := describe.Pairs(p)
	io.Printf("%s, tokens=%s: sentence pairs\n", d.Name, d.Tokenizer)
	io.Printf("digest %s\n", term.Cut(d.Digest, io.Width()-len("digest ")))
	counts := term.NewTable(term.Column{Head: "split"}, term.Column{Head: "side"}, right("sentences", 0), right("words", 0), right("different", 0), right("not in train", 1))
	lengths := term.NewTable(append([]term.Column{{Head: "split"}, {Head: "side"}}, lengthColumns()...)...)
	for _, s := range d.Splits {
		for i, side := range []describe.Side{s.Source, s.Target} {
			row := []string{s.Part.String(), []string{"source", "target"}[i]}
			counts.Add(append(row, format.Thousands(s.Pairs), format.Thousands(side.Words), format.Thousands(side.Types), format.Percent(side.Unknown))...)
			lengths.Add(append(row, lengthCells(side.Split)...)...)
		}
	}
	io.Heading("splits")
	if err := counts.Text(io, "  "); err != nil {
		return err
	}
	io.Heading("words of a sentence")
	if err := lengths.Text(io, "  "); err != nil {
		return err
	}
	io.Heading("the first ones of test")
	t := term.NewTable(term.Column{Head: "source"}, term.Column{Head: "target"})
	for _, x := range p.TestText[:min(3, len(p.TestText))] {
		t.Add(x.Source, x.Target)
	}
	return t.Text(io, "  ")
}
