package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	xterm "golang.org/x/term"

	"imdbexp/dataset/open"
	"imdbexp/dataset/tables"
	"imdbexp/internal/infer"
)

// file predicts the reviews of a file, or of standard input (-).
func (p *predicting) file(ctx context.Context, name string) error {
	p.lookUp(ctx)
	if p.model.BatchDependent() {
		p.app.warn(fmt.Errorf("with slip.pad a prediction depends on the other reviews of its batch: here %d in a row", p.model.BatchSize()))
	}
	p.typed = name == "-" && p.app.typing()
	o := p.o.columns
	o.Asked, o.Format = true, predictFormats[p.o.format]
	err := p.model.Stream(ctx, p.app.workers, func(ctx context.Context, yield func(infer.Input) error) error {
		n := 0
		record := func(r tables.Record) error {
			n++
			if r.ID == "" {
				r.ID = strconv.Itoa(n)
			}
			return yield(infer.Input{ID: r.ID, Label: r.Label, Text: r.Text, Where: r.Where})
		}
		return p.app.records(ctx, name, "reviews", o, record)
	}, func(texts []infer.Input, answers []infer.Answer) error {
		for i, t := range texts {
			if err := p.next(prediction{t, answers[i]}); err != nil {
				return err
			}
		}
		return p.out.Flush()
	})
	return errors.Join(err, p.last(), p.out.Flush())
}

// records reads a file, or standard input (-), and yields its records, which are called
// what to who types them.
func (a *app) records(ctx context.Context, name, what string, o tables.Options, record func(tables.Record) error) error {
	if name == "-" {
		if a.typing() {
			fmt.Fprintf(a.io.Err, "exp: reading %s from the terminal, one a line; Ctrl-D ends\n", what)
		}
		_, err := tables.ReadFrom(ctx, a.io.In, "standard input", o, record)
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
}

// prediction is a text with what the model says about it.
type prediction struct {
	infer.Input
	infer.Answer
}

// next writes the next prediction. On a terminal the first waits for the second,
// which tells that it is not alone; who types is answered at once, each text alone.
func (p *predicting) next(one prediction) error {
	if p.onScreen && !p.typed && !p.begun {
		p.first, p.begun = &one, true
		return nil
	}
	if first := p.first; first != nil {
		p.first = nil
		if err := p.write(first.Input, first.Answer, false); err != nil {
			return err
		}
	}
	return p.write(one.Input, one.Answer, p.typed)
}

// last writes the prediction that has waited in vain.
func (p *predicting) last() error {
	if p.first == nil {
		return nil
	}
	return p.write(p.first.Input, p.first.Answer, true)
}

// typing reports whether somebody types the input.
func (a *app) typing() bool {
	f, ok := a.io.In.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
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
	s, err := p.model.TestSplit(ctx, dir, name, limit, open.Options{Warn: p.app.warn, Progress: reading})
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
