package runs

import (
	"fmt"
)

// ChosenEpoch returns the epoch that counts: the last, or with select=best the
// best by its score on the validation split (on test, with slip.choose_on_test);
// 0 before any.
func (r *Run) ChosenEpoch() int {
	switch {
	case r.progress.chosen > 0:
		return r.progress.chosen
	case r.Config.General().Select == Best:
		return r.checkpoint.BestEpoch
	}
	return r.Status.Epoch
}

// ChosenCheckpoint returns Best or Last, whichever holds the chosen epoch.
func (r *Run) ChosenCheckpoint() string {
	if r.ChosenEpoch() == r.checkpoint.BestEpoch && r.Config.General().Select == Best {
		return Best
	}
	return Last
}

// Chosen returns the results of the epoch that counts.
func (r *Run) Chosen() (Metrics, error) {
	all, err := r.Metrics()
	for _, m := range all {
		if m.Epoch == r.ChosenEpoch() {
			return m, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("%s has no results yet: %s", r.Label(), r.Status)
	}
	return Metrics{}, err
}

// Oracle returns the results of the epoch with the highest test accuracy, the
// first of several. Nobody can choose it without looking at test: show it as
// such.
func (r *Run) Oracle() (Metrics, error) {
	all, err := r.Metrics()
	var best Metrics
	for _, m := range all {
		if m.TestAcc != nil && (best.TestAcc == nil || *m.TestAcc > *best.TestAcc) {
			best = m
		}
	}
	if err == nil && best.TestAcc == nil {
		err = fmt.Errorf("%s has no test results yet: %s", r.Label(), r.Status)
	}
	return best, err
}
