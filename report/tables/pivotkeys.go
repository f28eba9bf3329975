package tables

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// UnknownKeyError is a key of a pivot table that no run has.
type UnknownKeyError struct {
	Key   string
	Known []string
}

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("no run has a setting %q", e.Key)
}

// PivotKeys returns what rows and columns of a pivot table may be of: experiment,
// model, variant, and every setting of the runs in order of declaration.
func PivotKeys(list []*runs.Run) []string {
	out := []string{"experiment", "model", "variant"}
	there := map[string]bool{"variant": true}
	for _, r := range list {
		for _, s := range r.Config.Settings {
			if !there[s.Key] {
				there[s.Key] = true
				out = append(out, s.Key)
			}
		}
	}
	return out
}

// pivotValue is a number that a pivot table may show.
type pivotValue struct {
	name, title string
	unit        string
	decimals    int
	of          func(*report.Result) (float64, error)
}

// Number is one of the numbers that a run came to.
type Number struct {
	Name, Title, Unit string
	Of                func(*report.Result) (float64, error)
}

// NumberOf returns the number of a name, one of PivotValues; "" for the first of them.
func NumberOf(name string) (Number, error) {
	v, err := pivotValueOf(name)
	return Number{v.name, v.title, v.unit, v.of}, err
}

func chosen(of func(report.Numbers) float64) func(*report.Result) (float64, error) {
	return func(r *report.Result) (float64, error) { return of(r.Chosen), nil }
}

// onTest reports whether the number is of the test split.
func (v pivotValue) onTest() bool {
	return !strings.HasPrefix(v.name, "train_") && !strings.HasPrefix(v.name, "valid_")
}

var pivotValues = []pivotValue{
	{"test_acc", "Test accuracy", "percent", 2, chosen(report.TestAcc)},
	{"train_acc", "Train accuracy", "percent", 2, chosen(func(n report.Numbers) float64 { return n.TrainAcc })},
	{"valid_acc", "Validation accuracy", "percent", 2, chosen(func(n report.Numbers) float64 { return n.ValidAcc })},
	{"test_loss", "Test loss", "nats", 3, chosen(func(n report.Numbers) float64 { return n.TestLoss })},
	{"train_loss", "Train loss", "nats", 3, chosen(func(n report.Numbers) float64 { return n.TrainLoss })},
	{"valid_loss", "Validation loss", "nats", 3, chosen(func(n report.Numbers) float64 { return n.ValidLoss })},
	{"test_entropy", "Test entropy", "nats", 2, chosen(func(n report.Numbers) float64 { return n.TestEntropy })},
	{"train_entropy", "Train entropy", "nats", 2, chosen(func(n report.Numbers) float64 { return n.TrainEntropy })},
	{"test_exact", "Exact match on test", "percent", 2, chosen(func(n report.Numbers) float64 { return n.TestExact })},
	{"test_bleu", "BLEU on test", "0 to 100", 2, chosen(func(n report.Numbers) float64 { return n.TestBLEU })},
	{"macro_f1", "Macro-F1 on test", "percent", 2, (*report.Result).AnyMacroF1},
}

// PivotValues returns the names of the numbers that a pivot table may show.
func PivotValues() []string {
	var out []string
	for _, v := range pivotValues {
		out = append(out, v.name)
	}
	return out
}

func pivotValueOf(name string) (pivotValue, error) {
	if name == "" {
		return pivotValues[0], nil
	}
	i := slices.IndexFunc(pivotValues, func(v pivotValue) bool { return v.name == name })
	if i < 0 {
		return pivotValue{}, fmt.Errorf("no value %q: use one of %s", name, strings.Join(PivotValues(), ", "))
	}
	return pivotValues[i], nil
}

// values returns the number of each run of a cell; what could not be read is a
// note.
func (v pivotValue) values(c *Cell) (values []float64, notes []report.Note) {
	for _, r := range c.Runs {
		x, err := v.of(r)
		if err != nil {
			notes = append(notes, report.Note{Kind: report.Damaged, Text: err.Error()})
		}
		values = append(values, x)
	}
	return values, notes
}
