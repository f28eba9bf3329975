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

// Ends are the results of the epochs of a run that tables show; nil where there is none.
type Ends struct {
	Last   *Metrics
	Chosen *Metrics // the epoch that counts
	// Oracle is the epoch with the highest test accuracy, the first of several. Nobody can
	// choose it without looking at test: show it as such. Nil where test was looked at once.
	Oracle *Metrics
}

// Ends returns those of the run. What can be read stands beside an error.
func (r *Run) Ends() (e Ends, err error) {
	defer func() {
		if r.Config.General().Test != "each" { // of one look there is no best
			e.Oracle = nil
		}
	}()
	all, err := r.Metrics()
	if len(all) > 0 {
		e.Last = &all[len(all)-1]
	}
	for i := range all {
		m := &all[i]
		if m.Epoch == r.ChosenEpoch() && e.Chosen == nil {
			e.Chosen = m
		}
		if m.TestAcc != nil && (e.Oracle == nil || *m.TestAcc > *e.Oracle.TestAcc) {
			e.Oracle = m
		}
	}
	return e, err
}

// Chosen returns the results of the epoch that counts.
func (r *Run) Chosen() (Metrics, error) {
	e, err := r.Ends()
	if e.Chosen != nil {
		return *e.Chosen, nil
	}
	if err == nil {
		err = fmt.Errorf("%s has no results yet: %s", r.Label(), r.Status)
	}
	return Metrics{}, err
}

// Oracle returns the results of the epoch with the highest test accuracy, see Ends.
func (r *Run) Oracle() (Metrics, error) {
	e, err := r.Ends()
	if e.Oracle != nil {
		return *e.Oracle, err
	}
	if err == nil {
		err = fmt.Errorf("%s has no test results yet: %s", r.Label(), r.Status)
	}
	return Metrics{}, err
}
