// Package published is the table of published numbers, for the catalogue and for reports. A run's
// folder has the row that it repeats as it was known when the run was made. Correct updates that
// row, so that old runs are compared with the current numbers.
package published

import (
	_ "embed"
	"sync"

	"go.yaml.in/yaml/v3"

	"imdbexp/runs"
)

//go:embed published.yaml
var text []byte

// row is a published row and the experiment and optimiser that repeat it.
type row struct {
	Experiment, Optimizer string

	runs.Published `yaml:",inline"`
}

type tables struct {
	Rows, Logged []row
	IMDB         []IMDBResult
}

var all = sync.OnceValue(func() (t tables) {
	if err := yaml.Unmarshal(text, &t); err != nil {
		panic(err)
	}
	return t
})

// Row returns the published row of a variant of an experiment with an optimiser, or nil.
// variant=code has the numbers that the code logged; other variants are compared with the report.
func Row(experiment, optimizer, variant string) *runs.Published {
	list := all().Rows
	if variant == "code" {
		list = all().Logged
	}
	for _, r := range list {
		if r.Experiment == experiment && r.Optimizer == optimizer {
			return &r.Published
		}
	}
	return nil
}

// Correct returns the published row of a run as it is known now. What is not of this
// table stays as the run has it.
func Correct(c *runs.Config) *runs.Published {
	old := c.Published
	if old == nil {
		return nil
	}
	now, logged := Row(c.Name, c.Optimizer(), "default"), Row(c.Name, c.Optimizer(), "code")
	if now == nil || now.Row != old.Row || now.Source != old.Source && (logged == nil || logged.Source != old.Source) {
		return old
	}
	return Row(c.Name, c.Optimizer(), c.Variant)
}

// IMDBResult is a published accuracy on the 25 000 test reviews of IMDB, with the facts that are
// needed to compare it with others.
type IMDBResult struct {
	Model    string
	Accuracy float64 // in percent
	Paper    string  // authors and year
	Place    string  // in it: table or section
	Weights  int     // of the model, in all; 0: not stated

	Labels     int    // reviews with their class
	Unlabelled int    // of IMDB's own, without it
	Outside    string // what else was learned from; "" for nothing
	TestTexts  bool   `yaml:"test_texts"` // the texts of the test reviews were learned from, without their classes
	Chosen     string // by what settings and epoch were: Validation, Test, or "" where it is not known

	Doubt   string // why the number cannot be ranked, in addition to the flags
	Remark  string // what else to know
	Checked string // where the number was read when this table was made: InPaper, InIndex, or another paper
}

// By what something was chosen.
const (
	Validation = "validation"
	Test       = "test"
)

// Where a number was read: in the paper itself, or only in indexes of results such as Papers with
// Code, which do not show the paper.
const (
	InPaper = "the paper"
	InIndex = "indexes of results"
)

// IMDB lists the published results on IMDB's test reviews by year. The flags of a number that was
// read elsewhere than in its paper come from there; unknown ones are left open.
func IMDB() []IMDBResult { return all().IMDB }
