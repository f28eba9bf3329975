package data

import (
	"context"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/describe"
	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// describePairs counts sentence pairs.
func describePairs(ctx context.Context, io *term.IO, dir, name, tokens string) error {
	reading, stop := progress.Reading(io)
	p, err := open.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: reading})
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
