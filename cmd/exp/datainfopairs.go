package main

import (
	"context"

	"imdbexp/dataset/describe"
	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/term"
)

// pairsInfo counts sentence pairs.
func (a *app) pairsInfo(ctx context.Context, dir, name, tokens string) error {
	reading, stop := a.reading()
	p, err := open.Pairs(ctx, dir, name, pairs.Options{Tokenizer: tokens, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	d := describe.Pairs(p)
	a.printf("%s, tokens=%s: sentence pairs\n", d.Name, d.Tokenizer)
	a.printf("digest %s\n", term.Cut(d.Digest, a.io.Width()-len("digest ")))
	counts := term.NewTable(term.Column{Head: "split"}, term.Column{Head: "side"}, right("sentences", 0), right("words", 0), right("different", 0), right("not in train", 1))
	lengths := term.NewTable(append([]term.Column{{Head: "split"}, {Head: "side"}}, lengthColumns()...)...)
	for _, s := range d.Splits {
		for i, side := range []describe.Side{s.Source, s.Target} {
			row := []string{s.Part.String(), []string{"source", "target"}[i]}
			counts.Add(append(row, thousands(s.Pairs), thousands(side.Words), thousands(side.Types), percent(side.Unknown))...)
			lengths.Add(append(row, lengthCells(side.Split)...)...)
		}
	}
	a.heading("splits")
	if err := counts.Text(a.io, "  "); err != nil {
		return err
	}
	a.heading("words of a sentence")
	if err := lengths.Text(a.io, "  "); err != nil {
		return err
	}
	a.heading("the first ones of test")
	t := term.NewTable(term.Column{Head: "source"}, term.Column{Head: "target"})
	for _, x := range p.TestText[:min(3, len(p.TestText))] {
		t.Add(x.Source, x.Target)
	}
	return t.Text(a.io, "  ")
}
