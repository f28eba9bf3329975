// Package plan resolves the words of a command line, or a file, into runs of the catalogue with all
// settings.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments"
	"imdbexp/experiments/task"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

// Plan is a run with all its settings.
type Plan struct {
	Experiment *experiments.Experiment
	Run        *settings.Run
	Model      models.Model // its settings filled in
	Set        *settings.Set
	Published  *runs.Published // nil if no published row fits
	Announced  bool            // the settings that Adapt chose have been printed; Overrides omits them

	given       map[string]origin // settings of the catalogue, before files and the command line
	autoVectors bool              // vectors=auto
	err         error             // the first of a setting
}

// origin is the value of a setting and its source.
type origin struct{ value, from string }

// Sources of settings, besides experiments, files, optimizer=… and variant=….
const (
	fromSample      = "the sample"
	FromCommandLine = "command line"
)

// Base is the start of a plan: an experiment, and the settings of a file, which win over those of the
// experiment and lose to the command line.
type Base struct {
	Experiment *experiments.Experiment
	Overrides  []string // key=value
	From       string   // the file's name

	at map[string]string // the lines of the keys, such as mine.yaml:3
}

// New resolves the settings of one run. Later sources win: defaults, the experiment, the row of the
// optimiser, the variant, the sample, the file, the command line. auto is the data set of data=auto.
func New(b Base, auto string, assignments []string) (*Plan, error) {
	e, chosen := b.Experiment, append(slices.Clip(b.Overrides), assignments...)
	// The settings are resolved twice: the first time finds the data, the optimiser and the variant.
	first := empty(e)
	first.apply(e.Name, e.Settings)
	first.explicit(b, assignments)
	if first.err != nil {
		return nil, first.err
	}
	data := first.Run.Data.Data
	if data == "auto" {
		data = first.Task().AutoData(auto)
	}
	if data == "sample" && !sets(chosen, "optimizer") {
		first.apply(fromSample, slices.DeleteFunc(slices.Clone(e.Sample), func(d experiments.Diff) bool { return !strings.HasPrefix(d.Assign, "optimizer=") }))
	}
	variant, optimizer, p := first.Run.Variant, first.Run.Optimizer.Optimizer, empty(e)
	p.err = first.err
	p.apply(e.Name, e.Settings)
	if row := e.Row(optimizer); row != nil {
		p.apply("optimizer="+row.Optimizer, row.Settings)
		if p.Published = row.Published; variant == "code" {
			p.Published = published.Row(e.Name, row.Optimizer, "code")
		}
	}
	slips, err := e.Variant(variant, optimizer)
	p.err = cmp.Or(p.err, err)
	p.apply("variant="+variant, slips)
	if data == "sample" {
		p.apply(fromSample, e.OnSample(optimizer, variant))
	}
	p.given = map[string]origin{}
	for _, s := range p.Set.All() {
		if s.From != "default" {
			p.given[s.Key] = origin{s.Value, s.From}
		}
	}
	p.explicit(b, assignments)
	p.unslip(chosen)
	p.put("data", data, "data")
	if p.err == nil {
		p.err = p.check()
	}
	if p.autoVectors = p.Run.Vectors.Vectors == "auto"; p.autoVectors {
		p.put("vectors", p.Task().AutoVectors(data), "vectors")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p, nil
}

func empty(e *experiments.Experiment) *Plan {
	info, err := e.Info()
	p := &Plan{Experiment: e, Run: &settings.Run{}, Set: &settings.Set{}, err: err}
	if err == nil {
		p.Model = info.New()
		p.Set, p.err = settings.New(p.Run, p.Model)
	}
	return p
}

// check refuses settings that contradict each other.
func (p *Plan) check() error {
	r := p.Run
	if r.Momentum != 0 && r.Optimizer.Optimizer != "sgd" {
		return fmt.Errorf("momentum=%g needs optimizer=sgd; adam has adam.beta1", r.Momentum)
	}
	if r.ChooseOnTest && (r.Test != "each" || r.Every != 1) && (r.Select == "best" || r.Patience > 0) {
		return fmt.Errorf("test=%s test.every=%d: slip.choose_on_test=true chooses epochs by their test scores, which needs test=each test.every=1", r.Test, r.Every)
	}
	if err := p.Task().Check(p.Set, r); err != nil {
		return err
	}
	info, err := p.Experiment.Info()
	if err != nil {
		return err
	}
	if r.NGrams > 1 && !info.Unordered {
		return fmt.Errorf("vectors.ngrams=%d adds n-grams to the words, which only model mean allows, not %s: use the experiment ngram-mean", r.NGrams, p.Experiment.Model)
	}
	if w := models.PenaltyOf(p.Model).Weights; r.ClassWeights != "none" && w == "adversarial" {
		return fmt.Errorf("class.weights=%s weighs the cross-entropy, which attention=adversarial does not minimise: use only one of them", r.ClassWeights)
	}
	if base := models.PenaltyOf(p.Model).BaseRun(); base != "" && r.WordDrop > 0 {
		return fmt.Errorf("word.dropout=%g drops words, and attention.base=%s has a weight for each word of a review: use only one of them", r.WordDrop, base)
	}
	if c, ok := p.Model.(models.Checker); ok {
		return c.Check()
	}
	return nil
}

// Task returns what the run learns.
func (p *Plan) Task() task.Task { return task.Of(p.Model) }

// Settings returns the settings that have an effect on the plan's model, in the order of their
// declaration.
func (p *Plan) Settings() []settings.Setting {
	return slices.DeleteFunc(p.Set.All(), func(s settings.Setting) bool { return p.Task().Ignored().Has(s.Key) })
}

// kept returns the settings of a run as key=value. A setting that it lacks is newer than the run,
// which was trained as with its default.
func kept(e *experiments.Experiment, c *runs.Config) ([]string, error) {
	all := empty(e)
	out := c.Settings.Assignments()
	for _, s := range all.Set.All() {
		if _, there := c.Settings.Get(s.Key); !there {
			out = append(out, s.Key+"="+s.Default)
		}
	}
	return out, all.err
}

// Of returns the plan of an existing run, with its settings. If the experiment is unknown, the plan
// has the model only.
func Of(c *runs.Config) (*Plan, error) {
	e, err := experiments.Lookup(c.Name)
	if err != nil {
		if _, err := models.Lookup(c.Model); err != nil {
			return nil, fmt.Errorf("%s/%s: %w: the run was made by another version of this program", c.Name, c.ID, err)
		}
		e = &experiments.Experiment{Name: c.Name, Group: c.Name, Model: c.Model}
	}
	overrides, err := kept(e, c)
	if err != nil {
		return nil, err
	}
	p, err := New(Base{Experiment: e, Overrides: overrides, From: "config.yaml"}, c.Data.Name, nil)
	if unknown, ok := errors.AsType[*settings.UnknownError](err); ok {
		return nil, fmt.Errorf("%s/%s has a setting that this program does not know, %s: the run was made by another version of it", c.Name, c.ID, unknown.Key)
	}
	return p, err
}

// Config returns the configuration of the plan's run on data with these digests; the facts about the
// data are still missing.
func (p *Plan) Config(digests map[string]string) runs.Config {
	version := runs.PresentVersion(func(key string) string {
		s, _ := p.Set.Get(key)
		return s.Value
	})
	c := runs.NewConfig(p.Experiment.Name, p.Experiment.Model, version, p.Set, digests)
	c.Published = p.Published
	for key := range c.From { // a word that repeats the value of the catalogue is not the source
		s, _ := p.Set.Get(key)
		switch g, given := p.given[key]; {
		case given && s.Value == g.value:
			c.From[key] = g.from
		case !given && !s.Changed():
			delete(c.From, key)
		}
	}
	return c
}

// Preset returns the value of a setting in the catalogue and the part of the catalogue that sets it, ""
// for the default.
func (p *Plan) Preset(key string) (value, from string) {
	if g, is := p.given[key]; is {
		return g.value, g.from
	}
	s, _ := p.Set.Get(key)
	return s.Default, ""
}

// explicit applies the settings of the file and the command line.
func (p *Plan) explicit(b Base, assignments []string) {
	for _, o := range b.Overrides {
		if p.err == nil {
			if err := p.Set.Apply(b.From, o); err != nil {
				key, _, _ := strings.Cut(o, "=")
				p.err = fmt.Errorf("%s: %w", cmp.Or(b.at[key], b.From), err)
			}
		}
	}
	if p.err == nil {
		p.err = p.Set.Apply(FromCommandLine, assignments...)
	}
}

// unslip switches off the slips of the variant that would undo an explicit setting.
func (p *Plan) unslip(chosen []string) {
	slips := map[string]string{"tokens": "slip.whitespace", "oov": "slip.oov_masked"}
	if s, ok := p.Set.Get("norm"); ok && s.Value != "batch" {
		slips["norm"] = "slip.pad_statistics"
	}
	for key, slip := range slips {
		if _, has := p.Set.Get(slip); has && sets(chosen, key) && !sets(chosen, slip) {
			p.put(slip, "false", key)
		}
	}
}

// put sets a setting with the source of another one.
func (p *Plan) put(key, value, of string) {
	if p.err == nil {
		p.err = p.Set.Put(key, value, p.from(of))
	}
}

func (p *Plan) apply(from string, diffs []experiments.Diff) {
	for _, d := range diffs {
		if p.err == nil {
			if err := p.Set.Apply(from, d.Assign); err != nil {
				p.err = fmt.Errorf("experiment %s: %w", p.Experiment.Name, err)
			}
		}
	}
}

func (p *Plan) from(key string) string {
	s, _ := p.Set.Get(key)
	return s.From
}

func sets(assignments []string, key string) bool {
	return slices.ContainsFunc(assignments, func(a string) bool { return strings.HasPrefix(a, key+"=") })
}
