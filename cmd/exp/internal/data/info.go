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
a vector in each installed set; both sides of sentence pairs. Without a name: the default
data of exp run.`,
		Example: "  exp data info sample\n  exp data info imdb --tokens whitespace\n  exp data info phrases",
		Args:    cli.Words(0, 1, ""),
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
		return describePairs(ctx, a, dir, name, tokens, as)
	}
	return describeCorpus(ctx, a, dir, name, tokens, as)
}

// part is a part of a corpus, or one side of sentence pairs, with its numbers: texts, words, different words, words of a
// text (median, 95 % by nearest rank, maximum), then others.
type part struct {
	name    string
	numbers []int
}

func partOf(name string, e *dataset.Encoded, vocab int, others ...int) part {
	lengths := make([]int, e.Len())
	for b := range lengths {
		lengths[b] = len(e.Words(b))
	}
	slices.Sort(lengths)
	at := func(percent int) int { return lengths[(percent*len(lengths)+99)/100-1] }
	return part{name, append([]int{e.Len(), len(e.IDs), len(different(vocab, e)), at(50), at(95), at(100)}, others...)}
}

// different returns the different words of parts.
func different(vocab int, parts ...*dataset.Encoded) (ids []int32) {
	known := make([]bool, vocab)
	for _, e := range parts {
		for _, id := range e.IDs {
			if !known[id] {
				known[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// corpusParts returns the parts of a corpus. Their other numbers count empty reviews, and the reviews of each
// class.
func corpusParts(c *dataset.Corpus) (out []part) {
	for p := range dataset.Parts {
		e, others := c.Part(p), make([]int, 1+len(c.Classes))
		if e.Len() == 0 {
			continue
		}
		for b, label := range e.Labels {
			if len(e.Words(b)) == 0 {
				others[0]++
			}
			if label >= 0 {
				others[1+label]++
			}
		}
		out = append(out, partOf(p.String(), e, len(c.Vocab.Words), others...))
	}
	return out
}

// sideOf returns one side of sentence pairs. Its other number counts the words that are not in train.
func sideOf(name string, e *dataset.Encoded, words *pairs.Words) part {
	lacks := 0
	for _, id := range e.IDs {
		if id == pairs.UnknownID {
			lacks++
		}
	}
	return partOf(name, e, words.Len(), lacks)
}

// describe prints the parts of a corpus. unit is the name of the texts; others are the headings of the other numbers.
func describe(io *term.IO, as, title, digest, unit string, others []string, parts []part) error {
	t := term.NewTable(term.Left("split"), term.Right(unit), term.Right("words"), term.Right("different"),
		term.Right("median"), term.Right("p95").Drop(1), term.Right("max"), term.Right(others[0]).Drop(1))
	for _, head := range others[1:] {
		t.Columns = append(t.Columns, term.Right(head))
	}
	number := format.Thousands
	if as != "text" {
		number = strconv.Itoa
	}
	for _, p := range parts {
		row := []string{p.name}
		for _, n := range p.numbers {
			row = append(row, number(n))
		}
		t.Add(row...)
	}
	if as != "text" {
		return cli.PrintTable(io, as, t)
	}
	io.Say(title)
	io.Printf("digest %s\n", term.Cut(digest, io.Width()-len("digest ")))
	io.Heading("splits")
	t.Text(io, "  ")
	io.SayIndented("median, p95 (95 % are not longer) and max: lengths in words of the "+unit, "  ", "  ")
	return nil
}

// describeCorpus describes a corpus with its unlabelled reviews, and what share of its words each set of vectors lacks.
func describeCorpus(ctx context.Context, a *cli.App, dir, name, tokens, as string) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	defer stop()
	o.Tokenizer, o.Extra = tokens, true
	c, err := folder.Corpus(ctx, dir, name, o)
	if err != nil {
		return err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	t := term.NewTable(term.Left("vectors"), term.Right("dimensions"), term.Right("of train"), term.Right("of test"), term.Right("of the different words"))
	for _, i := range items {
		if i.Kind != folder.VectorsKind {
			continue
		}
		v, err := folder.Vectors(ctx, dir, i.Name, c, o)
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
	others := []string{"empty"}
	for _, class := range c.Classes {
		others = append(others, "class "+class)
	}
	title := fmt.Sprintf("%s, tokens=%s: %s different words", c.Name, c.Tokenizer, format.Thousands(len(c.Vocab.Words)))
	if err := describe(a.IO, as, title, c.Digest, "reviews", others, corpusParts(c)); err != nil || as != "text" || len(t.Rows) == 0 {
		return err
	}
	a.Heading("without a vector")
	t.Text(a.IO, "  ")
	return nil
}

func describePairs(ctx context.Context, a *cli.App, dir, name, tokens, as string) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	p, err := folder.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: o.Progress})
	stop()
	if err != nil {
		return err
	}
	sides := []part{
		sideOf("train source", p.Train, p.Source), sideOf("train target", p.Train.Targets, p.Target),
		sideOf("test source", p.Test, p.Source), sideOf("test target", p.Test.Targets, p.Target),
	}
	title := fmt.Sprintf("%s, tokens=%s: sentence pairs", p.Name, p.Tokenizer)
	return describe(a.IO, as, title, p.Digest, "sentences", []string{"not in train"}, sides)
}

// withoutVector returns which shares of the words of train and test, and of their different words,
// have no vector.
func withoutVector(c *dataset.Corpus, v *vectors.Set) (out [3]float64) {
	index := dataset.Index(v.Words)
	for i, ids := range [][]int32{c.Train.IDs, c.Test.IDs, different(len(c.Vocab.Words), &c.Train, &c.Test)} {
		for _, id := range ids {
			if _, known := index[c.Vocab.Words[id]]; !known {
				out[i] += 1 / float64(len(ids))
			}
		}
	}
	return out
}
