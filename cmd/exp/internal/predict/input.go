package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
)

// file predicts the reviews of a file, or of standard input (-).
func (p *predicting) file(ctx context.Context, name string) error {
	p.absent = modelview.LookUp(ctx, p.App, &p.run.Config, p.model)
	if p.model.BatchDependent() {
		p.App.Warn(fmt.Errorf("with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch: here %d in a row", p.model.BatchSize()))
	}
	o := p.o.columns
	o.Asked, o.Format = true, formats[p.o.format]
	o.IsLabel = func(label string) bool { return p.score.means(label) >= 0 }
	p.meetLabels(ctx, name, o)
	var trained *infer.TrainingTexts
	if dir, err := p.App.Installed(); err == nil {
		trained = p.model.TrainingTexts(ctx, dir, &p.run.Config)
	}
	var how tables.How
	err := p.model.Stream(ctx, p.App.Workers, func(ctx context.Context, yield func(infer.Input) error) error {
		n := 0
		record := func(r tables.Record) error {
			n++
			if r.ID == "" {
				r.ID = strconv.Itoa(n)
			}
			return yield(infer.Input{ID: r.ID, Label: r.Label, Text: r.Text, Where: r.Where})
		}
		var err error
		how, err = records(ctx, p.App.IO, name, "reviews", o, record)
		return err
	}, func(texts []infer.Input, answers []infer.Answer) error {
		for i, t := range texts {
			if trained.Has(t.Text) {
				p.trained++
			}
			if err := p.write(t, answers[i]); err != nil {
				return err
			}
		}
		return p.out.Flush()
	})
	if err == nil {
		p.header() // even without rows
		if how.Guess != "" {
			p.App.Warn(errors.New(how.Guess))
		}
		if how.Entities > 0 {
			p.App.Warn(fmt.Errorf("decoded HTML entities such as &quot; in %s (--keep-entities leaves them)", format.Counted(how.Entities, "text")))
		}
	}
	return errors.Join(err, p.out.Flush())
}

// data predicts the test reviews of a data set.
func (p *predicting) data(ctx context.Context, name string) error {
	dir, err := p.App.Installed()
	if err != nil {
		return err
	}
	c := &p.run.Config
	own, limit := name == c.Data.Name, p.o.limit
	if own && !p.o.given("limit") {
		limit = c.General().Limit
	}
	if !own {
		p.absent = modelview.LookUp(ctx, p.App, &p.run.Config, p.model) // its own data has no new words
	}
	reading, _, stop := progress.Watching(p.App.IO)
	s, err := p.model.TestSplit(ctx, dir, name, limit, folder.Options{Warn: p.App.Warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	if own {
		p.App.Warn(infer.DataChanged(c, s.Digest))
	} else if corpus, err := p.model.OpenCorpus(ctx, dir, name, folder.Options{}); err == nil {
		p.trained = p.model.TrainingTexts(ctx, dir, c).Count(corpus, limit)
	}
	answers, err := p.model.Answers(ctx, s, own)
	if err != nil {
		return err
	}
	for _, class := range s.Classes {
		p.score.numbers.meet(class)
	}
	for i, answer := range answers {
		t := infer.Input{ID: s.Names[i], Label: s.Classes[s.Labels[i]]}
		if err := p.write(t, answer); err != nil {
			return err
		}
	}
	p.header()
	if left := s.Len() - len(answers); left > 0 {
		p.App.Warn(fmt.Errorf("slip.drop_last omits the last %s, as in the run", format.Counted(left, "review")))
	}
	return p.out.Flush()
}

// readable checks the name of a file before the model is opened.
func readable(a *cli.App, ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return err
	case file == "" || strings.Contains(file, " "):
		return cli.Usage(fmt.Errorf("%q is not a file. For a text: echo … | %s, or %s", term.Cut(file, modelview.Longest), a.Command("predict", ref, "-"), a.Command("attend", ref, cmp.Or(file, "…"))))
	case slices.Contains(append(a.DataChoices("data"), "imdb"), file):
		return fmt.Errorf("there is no file %s; for the data set use data=%[1]s", file)
	}
	return err
}

// records reads the records of a file, or of standard input (-). what names them for a user
// who types them.
func records(ctx context.Context, io *term.IO, name, what string, o tables.Options, record func(tables.Record) error) (tables.How, error) {
	if name == "-" {
		if io.Typed() {
			fmt.Fprintf(io.Err, "exp: reading %s from the terminal, one a line; Ctrl-D ends\n", what)
		}
		return tables.ReadFrom(ctx, io.In, "standard input", o, record)
	}
	if flowing(name) {
		f, err := os.Open(name)
		if err != nil {
			return tables.How{}, err
		}
		defer f.Close()
		return tables.ReadFrom(ctx, f, name, o, record)
	}
	return tables.Read(ctx, name, o, record)
}

// flowing reports whether a name can be read only once: standard input (-), or a pipe such
// as <(zcat reviews.csv.Z).
func flowing(name string) bool {
	if name == "-" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
