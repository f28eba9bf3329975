// Package experiments is the catalogue of experiments: each is a model and its differences from the
// defaults, with their reasons and published numbers. The packages below resolve, train and search them.
package experiments

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

// Experiment is one named entry of a family.
type Experiment struct {
	Name  string
	Group string // exp run GROUP runs every row of its experiments
	Model string
	Shows string // its purpose, in one line
	Watch string // published results and what to compare it with (see the function Watch)

	// ComparedWith is the experiment that it follows in all tables.
	ComparedWith string

	Settings []Diff // differences from the defaults
	Sample   []Diff // further differences on the sample
	Original []Diff // variant=original: the slips behind the published numbers
	Code     []Diff // variant=code: the slips of the published code, if the numbers are not from it
	Rows     []Row  // rows of the published table; the first has the default optimiser

	// SampleWith has further differences on the sample with optimizer=… or variant=… (see OnSample).
	SampleWith []With
}

// Diff is a setting that an experiment changes, with the reason.
type Diff struct {
	Assign string // key=value
	Why    string
}

// With has the differences that an optimiser, a variant or both imply.
type With struct {
	Choice string // optimizer=NAME, variant=NAME, or both with a blank between them
	Diffs  []Diff
}

// sampleSGD are the settings of SGD on the sample, which has few steps: the published rate is too low.
var sampleSGD = []Diff{
	{"lr=0.1", "few reviews make few steps"},
	{"momentum=0.9", "without it an LSTM does not leave the loss of guessing"},
	{"clip=0.25", "a rate that leaves the plateau is too high behind it"},
}

// OnSample returns the differences on the sample for an optimiser and a variant; later ones win.
func (e *Experiment) OnSample(optimizer, variant string) []Diff {
	out := slices.Clone(e.Sample)
	if optimizer == "sgd" && len(out) > 0 {
		out = append(out, sampleSGD...)
	}
	for _, w := range e.SampleWith {
		other := func(choice string) bool { return choice != "optimizer="+optimizer && choice != "variant="+variant }
		if !slices.ContainsFunc(strings.Fields(w.Choice), other) {
			out = append(out, w.Diffs...)
		}
	}
	return out
}

// Row is a row of the published table.
type Row struct {
	Optimizer string
	Settings  []Diff // differences with optimizer=NAME
	Original  []Diff // differences of this row with variant=original
	Published *runs.Published
}

// Families are the families of experiments in their order; golden files have their results.
var Families = [][]*Experiment{tme9(), tme10Family(), mechanisms(), baselines(), best(), seq2seq(), language()}

var registry = func() []*Experiment {
	all := slices.Concat(Families...)
	for _, e := range all {
		for i := range e.Rows {
			e.Rows[i].Published = published.Row(e.Name, e.Rows[i].Optimizer, "default")
		}
	}
	return all
}()

// register adds experiments at the end of the catalogue, from a file of your own as in the README.
func register(list ...*Experiment) { registry = append(registry, list...) }

// All returns the experiments in the order of their families.
func All() []*Experiment { return registry }

// InOrder returns the names in the order of results.
func InOrder() (out []string) {
	behind := map[string]int{} // number of followers so far
	for _, e := range registry {
		at := len(out)
		if i := slices.Index(out, e.ComparedWith); i >= 0 {
			behind[e.ComparedWith]++
			at = i + behind[e.ComparedWith]
		}
		out = slices.Insert(out, at, e.Name)
	}
	return out
}

// Lookup returns the experiment of that name.
func Lookup(name string) (*Experiment, error) {
	names := Groups()
	for _, e := range registry {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("unknown experiment %q%s; exp list shows all", name, settings.Nearest(name, names))
}

// Groups returns the groups in the order of their first experiments.
func Groups() (out []string) {
	for _, e := range registry {
		if !slices.Contains(out, e.Group) {
			out = append(out, e.Group)
		}
	}
	return out
}

// Group returns the experiments of a group; none for an unknown one.
func Group(name string) []*Experiment {
	return slices.DeleteFunc(slices.Clone(registry), func(e *Experiment) bool { return e.Group != name })
}

// Row returns the row of an optimiser, or nil.
func (e *Experiment) Row(optimizer string) *Row {
	i := slices.IndexFunc(e.Rows, func(r Row) bool { return r.Optimizer == optimizer })
	if i < 0 {
		return nil
	}
	return &e.Rows[i]
}

// Variants returns the names of the variants except default.
func (e *Experiment) Variants() (out []string) {
	if len(e.Original) > 0 {
		out = append(out, "original")
	}
	if len(e.Code) > 0 {
		out = append(out, "code")
	}
	return out
}

// Variant returns the differences of a variant in the row of an optimiser: none if there is no
// original. A missing variant=code is an error.
func (e *Experiment) Variant(name, optimizer string) ([]Diff, error) {
	row := e.Row(optimizer)
	switch {
	case name == "original" && row != nil:
		return slices.Concat(e.Original, row.Original), nil
	case name == "original":
		return e.Original, nil
	case name != "code":
		return nil, nil
	case len(e.Code) > 0:
		return e.Code, nil
	case len(e.Original) > 0:
		return nil, fmt.Errorf("%s has no variant=code: its published code is variant=original", e.Name)
	}
	return nil, fmt.Errorf("%s has no variant=code: its code was not published", e.Name)
}

// Info returns the experiment's entry in the registry of models.
func (e *Experiment) Info() (models.Info, error) { return models.Lookup(e.Model) }

// Watch returns the Watch text of an experiment with the published numbers, or "". Its placeholders stand
// for a published accuracy: on the test set with Adam, with another optimiser, or on train.
//
//	{tme9-simple}   {tme10-pe sgd}   {tme10-pe sgd train}
func Watch(name string) string {
	e, err := Lookup(name)
	if err != nil {
		return ""
	}
	return placeholder.ReplaceAllStringFunc(e.Watch, func(text string) string {
		m := placeholder.FindStringSubmatch(text)
		row := published.Row(m[1], cmp.Or(m[2], "adam"), "default")
		if m[3] != "" {
			return fmt.Sprintf("%.1f", row.TrainAcc)
		}
		return fmt.Sprintf("%.1f", row.TestAcc)
	})
}

var placeholder = regexp.MustCompile(`\{([a-z0-9-]+)(?: (adam|sgd))?( train)?\}`)
