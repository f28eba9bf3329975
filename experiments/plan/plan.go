package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Plan is one run that was asked for, all settings resolved.
type Plan struct {
	Experiment *Experiment
	Run        *settings.Run
	Model      models.Model // its settings filled in
	Set        *settings.Set
	Published  *runs.Published // nil where no row fits

	given []settings.Setting // before anything explicit
}

// Who sets a setting, besides experiments, files, optimizer=… and variant=….
const (
	fromSample      = "the sample"
	FromCommandLine = "command line"
)

// Base is what a run starts from: a named experiment, and the overrides of a
// file between its settings and those of the command line.
type Base struct {
	Experiment *Experiment
	Overrides  []string // key=value
	From       string   // the file's name
}

// NewPlan resolves the settings of one run. Later ones win: defaults, the
// experiment's, those of the optimiser's row, of the variant, of the sample, the
// file's, the command line's. auto stands for the data that data=auto means.
func NewPlan(b Base, auto string, assignments []string) (*Plan, error) {
	e := b.Experiment
	chosen := append(b.Overrides[:len(b.Overrides):len(b.Overrides)], assignments...)
	// A first look: which data, optimiser and variant do the words choose?
	look, err := emptyPlan(e)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(look.apply(e.Name, e.Settings), look.explicit(b, assignments)); err != nil {
		return nil, err
	}
	data := look.Run.Data.Data
	if data == "auto" {
		data = autoData(look.Model, auto)
	}
	if data == "sample" && !sets(chosen, "optimizer") {
		if err := look.apply(fromSample, only(e.Sample, "optimizer")); err != nil {
			return nil, err
		}
	}

	p, err := emptyPlan(e)
	if err != nil {
		return nil, err
	}
	if err := p.apply(e.Name, e.Settings); err != nil {
		return nil, err
	}
	if row := e.row(look.Run.Optimizer.Optimizer); row != nil {
		if err := p.apply("optimizer="+row.Optimizer, row.Settings); err != nil {
			return nil, err
		}
		p.Published = row.Published
	}
	if look.Run.Variant == "original" {
		if err := p.apply("variant=original", e.Original); err != nil {
			return nil, err
		}
	}
	if data == "sample" {
		if err := p.apply(fromSample, e.Sample); err != nil {
			return nil, err
		}
	}
	p.given = p.Set.All()
	if err := p.explicit(b, assignments); err != nil {
		return nil, err
	}
	if err := p.unslip(chosen); err != nil {
		return nil, err
	}
	if err := p.Set.Put("data", data, p.from("data")); err != nil {
		return nil, err
	}
	if p.Run.Momentum != 0 && p.Run.Optimizer.Optimizer != "sgd" {
		return nil, fmt.Errorf("momentum=%g is of optimizer=sgd; adam has adam.beta1", p.Run.Momentum)
	}
	if r := p.Run; r.ChooseOnTest && r.Test != "each" && (r.Select == "best" || r.Patience > 0) {
		return nil, fmt.Errorf("test=%s: slip.choose_on_test=true chooses epochs by their test scores, which takes test=each", r.Test)
	}
	if err := p.checkVectors(); err != nil {
		return nil, err
	}
	if c, ok := p.Model.(models.Checker); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	if p.Run.Vectors.Vectors == "auto" && !p.Translates() {
		v := "corpus"
		if data == "imdb" {
			v = "glove50"
		}
		if err := p.Set.Put("vectors", v, p.from("vectors")); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// origins puts right who set what in a run's configuration: a word that only
// repeats what the experiment says has changed nothing.
func (p *Plan) origins(c *runs.Config) {
	for _, g := range p.given {
		switch {
		case c.Setting(g.Key) != g.Value:
		case g.From == "default":
			delete(c.From, g.Key)
		default:
			c.From[g.Key] = g.From
		}
	}
}

func emptyPlan(e *Experiment) (*Plan, error) {
	info, err := e.Info()
	if err != nil {
		return nil, err
	}
	p := &Plan{Experiment: e, Run: &settings.Run{}, Model: info.New()}
	p.Set, err = settings.New(p.Run, p.Model)
	return p, err
}

// explicit applies what the file and the command line say.
func (p *Plan) explicit(b Base, assignments []string) error {
	if err := p.Set.Apply(b.From, b.Overrides...); err != nil {
		return fmt.Errorf("%s: %w", b.From, err)
	}
	return p.Set.Apply(FromCommandLine, assignments...)
}

// unslip lets explicit keys win over the slips of the variant that would make
// them void.
func (p *Plan) unslip(chosen []string) error {
	for key, slip := range map[string]string{"tokens": "slip.whitespace", "oov": "slip.oov_masked"} {
		if sets(chosen, key) && !sets(chosen, slip) {
			if err := p.Set.Put(slip, "false", p.from(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Plan) apply(from string, diffs []Diff) error {
	for _, d := range diffs {
		if err := p.Set.Apply(from, d.Assign); err != nil {
			return fmt.Errorf("experiment %s: %w", p.Experiment.Name, err)
		}
	}
	return nil
}

// resultVersion is that of the run.
func (p *Plan) resultVersion() int {
	return runs.PresentVersion(func(key string) string {
		s, _ := p.Set.Get(key)
		return s.Value
	})
}

func (p *Plan) from(key string) string {
	s, _ := p.Set.Get(key)
	return s.From
}

func sets(assignments []string, key string) bool {
	return slices.ContainsFunc(assignments, func(a string) bool { return strings.HasPrefix(a, key+"=") })
}

func only(diffs []Diff, key string) []Diff {
	return slices.DeleteFunc(slices.Clone(diffs), func(d Diff) bool { return !strings.HasPrefix(d.Assign, key+"=") })
}

func without(diffs []Diff, key string) []Diff {
	return slices.DeleteFunc(slices.Clone(diffs), func(d Diff) bool { return strings.HasPrefix(d.Assign, key+"=") })
}
