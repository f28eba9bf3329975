package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	xterm "golang.org/x/term"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/infer"
)

// file predicts the reviews of a file, or of standard input (-).
func (p *predicting) file(ctx context.Context, name string) error {
	p.lookUp(ctx)
	if p.model.BatchDependent() {
		p.app.warn(fmt.Errorf("with slip.pad a prediction depends on the other reviews of its batch: here %d in a row", p.model.BatchSize()))
	}
	o := p.o.columns
	o.Asked, o.Format = true, predictFormats[p.o.format]
	return p.model.Stream(ctx, p.app.workers, func(ctx context.Context, yield func(infer.Input) error) error {
		n := 0
		record := func(r tables.Record) error {
			n++
			if r.ID == "" {
				r.ID = strconv.Itoa(n)
			}
			return yield(infer.Input{ID: r.ID, Label: r.Label, Text: r.Text, Where: r.Where})
		}
		if name == "-" {
			p.invite()
			_, err := tables.ReadFrom(ctx, p.app.io.In, "standard input", o, record)
			return err
		}
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() { // a pipe of the shell's: <(zcat reviews.csv.Z)
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = tables.ReadFrom(ctx, f, name, o, record)
			return err
		}
		_, err = tables.Read(ctx, name, o, record)
		return err
	}, func(texts []infer.Input, answers []infer.Answer) error {
		for i, t := range texts {
			if err := p.write(t, answers[i], len(texts) == 1); err != nil {
				return err
			}
		}
		return p.out.Flush()
	})
}

// invite tells who sits before an empty terminal what is wanted.
func (p *predicting) invite() {
	if f, ok := p.app.io.In.(*os.File); ok && xterm.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(p.app.io.Err, "exp: reading reviews from the terminal, one a line; Ctrl-D ends")
	}
}

// data predicts the test reviews of a data set.
func (p *predicting) data(ctx context.Context, name string) error {
	dir, err := p.app.data()
	if err != nil {
		return err
	}
	c := &p.run.Config
	own, limit := name == c.Data.Name, p.o.limit
	if own && !p.o.limited {
		limit, _ = strconv.Atoi(c.Setting("data.limit"))
	}
	if !own {
		p.lookUp(ctx) // of its own data the run has met all words
	}
	reading, stop := p.app.reading()
	s, err := p.model.TestSplit(ctx, dir, name, limit, dataset.OpenOptions{Warn: p.app.warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	if own && s.Digest != c.Digests["data"] {
		p.app.warn(fmt.Errorf("data=%s have changed since the run: these are not the reviews of its test", name))
	}
	answers, err := p.model.Answers(ctx, s, own)
	if err != nil {
		return err
	}
	for i, answer := range answers {
		t := infer.Input{ID: s.Names[i], Label: s.Classes[s.Labels[i]]}
		if err := p.write(t, answer, false); err != nil {
			return err
		}
	}
	if left := s.Len() - len(answers); left > 0 {
		p.app.warn(fmt.Errorf("slip.drop_last leaves out the last %s, as in the run", reviews(left)))
	}
	return p.out.Flush()
}
