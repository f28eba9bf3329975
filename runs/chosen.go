package runs

import "fmt"

// ChosenEpoch returns the chosen epoch: the last, or with select=best the one with the best
// validation score (test score with slip.choose_on_test). It is 0 before the first epoch.
func (r *Run) ChosenEpoch() int {
	switch {
	case r.progress.chosen > 0:
		return r.progress.chosen
	case r.Config.General().Select == Best:
		return r.checkpoint.BestEpoch
	}
	return r.Status.Epoch
}

// ChosenCheckpoint returns the checkpoint of the chosen epoch, Best or Last.
func (r *Run) ChosenCheckpoint() string {
	if r.ChosenEpoch() == r.checkpoint.BestEpoch && r.Config.General().Select == Best {
		return Best
	}
	return Last
}

// Ends are the epochs of a run that tables show. A field is nil if there is no such epoch.
type Ends struct {
	Last   *Metrics
	Chosen *Metrics // the chosen epoch
	// Oracle is the first epoch with the highest test accuracy. It is chosen on the test set
	// and so not a valid result. Nil if the run was evaluated on the test set only once.
	Oracle *Metrics
}

// Ends returns the ends of the run. With an error it returns what could be read.
func (r *Run) Ends() (e Ends, err error) {
	defer func() {
		if r.Config.General().Test != "each" { // evaluated once
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

// Chosen returns the results of the chosen epoch.
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
