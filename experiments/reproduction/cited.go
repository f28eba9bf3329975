package reproduction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

// Cited returns the plan whose run has the ID of a citation. It tries the runs that the
// assignments name; without assignments it tries every optimiser and variant of the
// experiment, on the data that auto means and on the sample.
func Cited(ctx context.Context, r *training.Runner, c runs.Citation, assignments []string, auto string) (*plan.Plan, error) {
	plans, err := candidates(ctx, c.Name, assignments, auto)
	if err != nil {
		return nil, err
	}
	if _, err := (&plan.Adapter{Dir: r.Loader.Dir}).Adapt(ctx, plans); err != nil {
		return nil, err
	}
	var missing error
	for _, p := range plans {
		j, err := r.Job(ctx, p)
		if _, lacks := errors.AsType[*folder.NotInstalledError](err); lacks {
			missing = err // another candidate may not need these data
			continue
		}
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(j.Config.ID, c.ID) {
			return p, nil
		}
	}
	err = fmt.Errorf("%s is none of the %d runs of %s that were tried: give its settings as key=value. "+
		"An ID also depends on the content of the data and on the result version of the program (%d)", c, len(plans), c.Name, runs.ResultVersion)
	return nil, errors.Join(err, missing)
}

// candidates returns the plans among which Cited looks for a run.
func candidates(ctx context.Context, name string, assignments []string, auto string) ([]*plan.Plan, error) {
	if len(assignments) > 0 {
		return plan.Resolve(ctx, append([]string{name}, assignments...), auto)
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	words := []string{name, "variant=" + strings.Join(append([]string{"default"}, e.Variants()...), ",")}
	var optimizers []string
	for _, row := range e.Rows {
		optimizers = append(optimizers, row.Optimizer)
	}
	if len(optimizers) > 0 {
		words = append(words, "optimizer="+strings.Join(optimizers, ","))
	}
	data := []string{"sample", "imdb"} // imdb last: if it is not installed, its error says how to get it
	if auto == "imdb" {
		slices.Reverse(data)
	}
	var plans []*plan.Plan
	for _, data := range data {
		more, err := plan.Resolve(ctx, words, data)
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	return plans, nil
}
