package experiments

import (
	"fmt"
	"regexp"
)

// quoted is a published accuracy in Experiment.Watch: of an experiment on the test set with Adam, with
// another optimiser, or on train.
//
//	{tme9-simple}   {tme10-pe sgd}   {tme10-pe sgd train}
var quoted = regexp.MustCompile(`\{([a-z0-9-]+)(?: (\w+))?( train)?\}`)

// Watch returns the Watch text of an experiment with the published numbers, or "".
func Watch(name string) string {
	e, err := Lookup(name)
	if err != nil {
		return ""
	}
	return quoted.ReplaceAllStringFunc(e.Watch, func(q string) string {
		m := quoted.FindStringSubmatch(q)
		other, err := Lookup(m[1])
		if err != nil {
			return q
		}
		if m[2] == "" {
			m[2] = "adam"
		}
		row := other.Row(m[2])
		if row == nil || row.Published == nil {
			return q
		}
		acc := row.Published.TestAcc
		if m[3] != "" {
			acc = row.Published.TrainAcc
		}
		return fmt.Sprintf("%.1f", acc)
	})
}
