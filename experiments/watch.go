package experiments

import (
	"fmt"
	"strings"
)

// Watch returns the Watch text of an experiment with the published numbers, or "". Its placeholders stand
// for a published accuracy: on the test set with Adam, with another optimiser, or on train.
//
//	{tme9-simple}   {tme10-pe sgd}   {tme10-pe sgd train}
func Watch(name string) string {
	e, err := Lookup(name)
	if err != nil {
		return ""
	}
	var numbers []string
	for _, e := range registry {
		for _, row := range e.Rows {
			if row.Published == nil {
				continue
			}
			test, train := fmt.Sprintf("%.1f", row.Published.TestAcc), fmt.Sprintf("%.1f", row.Published.TrainAcc)
			of := e.Name + " " + row.Optimizer
			numbers = append(numbers, "{"+of+"}", test, "{"+of+" train}", train)
			if row.Optimizer == "adam" {
				numbers = append(numbers, "{"+e.Name+"}", test)
			}
		}
	}
	return strings.NewReplacer(numbers...).Replace(e.Watch)
}
