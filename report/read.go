package report

import (
	"math"

	"imdbexp/runs"
)

// read reduces a run folder to what the tables show.
func read(run *runs.Run) *Result {
	r := &Result{run: run, Path: run.Path, Config: run.Config, Finished: run.Status.State == runs.Finished}
	epochs, err := run.Metrics()
	if err != nil {
		r.Notes = append(r.Notes, Note{Damaged, err.Error()})
	}
	var chosen *runs.Metrics
	if len(epochs) > 0 {
		chosen = &epochs[len(epochs)-1]
		r.Done = chosen.Epoch
	}
	for i := range epochs {
		if epochs[i].Epoch == run.ChosenEpoch() {
			chosen = &epochs[i]
		}
	}
	r.Chosen, r.Oracle = numbers(chosen), numbers(oracle(epochs))

	r.Wilson = Interval{Low: math.NaN(), High: math.NaN()}
	score := r.Chosen.TestAcc
	if run.Config.Translates() {
		score = r.Chosen.TestExact
	}
	if i, err := wilsonPercent(score, r.Counted()); err == nil {
		r.Wilson = i
	}
	if r.MacroF1, err = macroF1(run); err != nil {
		r.Notes = append(r.Notes, Note{Damaged, err.Error()})
	}
	if r.Translated, err = translated(run); err != nil {
		r.Notes = append(r.Notes, Note{Damaged, err.Error()})
	}
	r.Notes = append(r.Notes, progress(r, run.Status)...)
	r.Notes = append(r.Notes, abridged(r)...)
	r.Incomparable = incomparable(r, run.Status.State)
	return r
}
