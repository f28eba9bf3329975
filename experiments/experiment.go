// Package experiments is the catalogue of what is run: each experiment is a model and
// its differences from the defaults, with their reasons and published numbers. What
// resolves, trains and compares them lies in the packages below.
package experiments

import (
	"fmt"
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
	Shows string // what it is there to show, one line
	Watch string // what was published about it, and what to hold it against, beyond what its model says (see quoted)

	// Beside is the experiment that it is there to be compared with: it follows that one
	// wherever results are shown.
	Beside string

	Settings []Diff // differences from the defaults
	Sample   []Diff // further ones on the sample, which is small and quick
	Original []Diff // variant=original: the slips behind the published numbers
	Code     []Diff // variant=code: those of the published code, where the numbers are not from it
	Rows     []Row  // of the published table; the first gives the default optimiser

	// SampleWith are more on the sample, under optimizer=… or variant=… (see OnSample).
	SampleWith []With
}

// Diff is one setting that an experiment changes, and why.
type Diff struct {
	Assign string // key=value
	Why    string
}

// With is what the choice of an optimiser, a variant or both brings along.
type With struct {
	Choice string // optimizer=NAME, variant=NAME, or both with a blank between them
	Diffs  []Diff
}

// sampleSGD is how SGD learns in the few steps that the sample has: the published rate
// moves nothing there, nor does any constant one all models alike.
var sampleSGD = []Diff{
	{"lr=0.1", "few reviews make few steps"},
	{"momentum=0.9", "without it an LSTM does not leave the loss of guessing"},
	{"clip=0.25", "a rate that leaves the plateau is too high behind it"},
}

// OnSample returns what the sample changes for runs with an optimiser, as a variant;
// later ones win.
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
	Settings  []Diff // what optimizer=NAME brings
	Original  []Diff // what variant=original brings to this row alone
	Published *runs.Published
}

// families are ours, in the order in which people meet them; their results are kept as
// goldens.
var families = [][]*Experiment{tme9(), tme10Family(), mechanisms(), baselines(), best(), seq2seq()}

var registry = withPublished(slices.Concat(families...))

// withPublished fills in what was published of each row.
func withPublished(list []*Experiment) []*Experiment {
	for _, e := range list {
		for i := range e.Rows {
			e.Rows[i].Published = published.Row(e.Name, e.Rows[i].Optimizer, "default")
		}
	}
	return list
}

// register adds experiments behind those that are there. It is for a file of one's own, as
// the README's recipe writes one; a test builds it.
func register(list ...*Experiment) { registry = append(registry, list...) }

// All returns the experiments in the order of their families.
func All() []*Experiment { return registry }

// InOrder returns the names in the order in which results are shown.
func InOrder() []string {
	var out []string
	behind := map[string]int{} // how many follow already
	for _, e := range registry {
		at := len(out)
		if i := slices.Index(out, e.Beside); i >= 0 {
			behind[e.Beside]++
			at = i + behind[e.Beside]
		}
		out = slices.Insert(out, at, e.Name)
	}
	return out
}

// Lookup returns the experiment of that name.
func Lookup(name string) (*Experiment, error) {
	for _, e := range registry {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown experiment %q%s; exp list shows all", name, settings.Nearest(name, names()))
}

// Groups returns the groups in the order of their first experiments.
func Groups() []string {
	var out []string
	for _, e := range registry {
		if !slices.Contains(out, e.Group) {
			out = append(out, e.Group)
		}
	}
	return out
}

// Group returns the experiments of a group, or nil.
func Group(name string) []*Experiment {
	var out []*Experiment
	for _, e := range registry {
		if e.Group == name {
			out = append(out, e)
		}
	}
	return out
}

func names() []string {
	out := Groups()
	for _, e := range registry {
		out = append(out, e.Name)
	}
	return out
}

// Row returns the row of an optimiser, or nil.
func (e *Experiment) Row(optimizer string) *Row {
	for i := range e.Rows {
		if e.Rows[i].Optimizer == optimizer {
			return &e.Rows[i]
		}
	}
	return nil
}

// Variants returns the names of what there is beside the default.
func (e *Experiment) Variants() []string {
	var out []string
	if len(e.Original) > 0 {
		out = append(out, "original")
	}
	if len(e.Code) > 0 {
		out = append(out, "code")
	}
	return out
}

// Variant returns what a variant sets in the row of an optimiser: nothing where there is
// no original. A code that is not there is an error.
func (e *Experiment) Variant(name, optimizer string) ([]Diff, error) {
	switch {
	case name == "original":
		if row := e.Row(optimizer); row != nil {
			return slices.Concat(e.Original, row.Original), nil
		}
		return e.Original, nil
	case name != "code":
		return nil, nil
	case len(e.Code) > 0:
		return e.Code, nil
	case len(e.Original) > 0:
		return nil, fmt.Errorf("%s has no variant=code of its own: its published code is variant=original", e.Name)
	}
	return nil, fmt.Errorf("%s has no variant=code: nothing of it was published", e.Name)
}

// Info returns the experiment's entry in the registry of models.
func (e *Experiment) Info() (models.Info, error) { return models.Lookup(e.Model) }
