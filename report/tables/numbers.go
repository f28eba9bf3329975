package tables

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/report"
)

// Number is a number of a run that pivot tables and trends can show.
type Number struct {
	Name, Title, Unit string
	Of                func(*report.Result) (float64, error)
	decimals          int
}

func chosen(of func(report.Numbers) float64) func(*report.Result) (float64, error) {
	return func(r *report.Result) (float64, error) { return of(r.Chosen), nil }
}

var numbers = []Number{
	{"test_acc", "Test accuracy", "percent", chosen(report.TestAcc), 2},
	{"train_acc", "Train accuracy", "percent", chosen(func(n report.Numbers) float64 { return n.TrainAcc }), 2},
	{"valid_acc", "Validation accuracy", "percent", chosen(report.ValidAcc), 2},
	{"test_loss", "Test loss", "nats", chosen(func(n report.Numbers) float64 { return n.TestLoss }), 3},
	{"train_loss", "Train loss", "nats", chosen(func(n report.Numbers) float64 { return n.TrainLoss }), 3},
	{"valid_loss", "Validation loss", "nats", chosen(validLoss), 3},
	{"test_entropy", "Test entropy", "nats", chosen(func(n report.Numbers) float64 { return n.TestEntropy }), 2},
	{"train_entropy", "Train entropy", "nats", chosen(func(n report.Numbers) float64 { return n.TrainEntropy }), 2},
	{"test_exact", "Exact match on test", "percent", chosen(func(n report.Numbers) float64 { return n.TestExact }), 2},
	{"test_bleu", "BLEU on test", "0 to 100", chosen(testBLEU), 2},
	{"macro_f1", "Macro-F1 on test", "percent", (*report.Result).AnyMacroF1, 2},
}

// PivotValues returns the names of the numbers that a pivot table can show.
func PivotValues() []string {
	var out []string
	for _, n := range numbers {
		out = append(out, n.Name)
	}
	return out
}

// NumberOf returns the number of a name, one of PivotValues; "" for the first of them.
func NumberOf(name string) (Number, error) {
	if name == "" {
		return numbers[0], nil
	}
	i := slices.IndexFunc(numbers, func(n Number) bool { return n.Name == name })
	if i < 0 {
		return Number{}, fmt.Errorf("no value %q: use one of %s", name, strings.Join(PivotValues(), ", "))
	}
	return numbers[i], nil
}

// onTest reports whether the number is about the test set.
func (n Number) onTest() bool {
	return !strings.HasPrefix(n.Name, "train_") && !strings.HasPrefix(n.Name, "valid_")
}

// over returns the number of each run of a cell, with notes on what could not be read.
func (n Number) over(c *Cell) (values []float64, notes []report.Note) {
	for _, r := range c.Runs {
		x, err := n.Of(r)
		if err != nil {
			notes = append(notes, report.Note{Kind: report.Damaged, Text: err.Error()})
		}
		values = append(values, x)
	}
	return values, notes
}
