package predict

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
)

// file predicts the reviews of a file, or of standard input (-).
func (p *predicting) file(ctx context.Context, name string) error {
	p.lookUp(ctx)
	if p.model.BatchDependent() {
		p.App.Warn(fmt.Errorf("with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch: here %d in a row", p.model.BatchSize()))
	}
	o := p.o.columns
	o.Asked, o.Format = true, formats[p.o.format]
	o.IsLabel = func(label string) bool { return p.score.means(label) >= 0 }
	p.meetLabels(ctx, name, o)
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
		p.lookUp(ctx) // its own data has no new words
	}
	reading, _, stop := progress.Watching(p.App.IO)
	s, err := p.model.TestSplit(ctx, dir, name, limit, folder.Options{Warn: p.App.Warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	if own {
		p.App.Warn(infer.DataChanged(c, s.Digest))
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
