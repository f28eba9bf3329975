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
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

// Cited finds the plan whose run a citation names, where the run itself is not at
// hand: among those that the settings name (lists and ranges too), or, without
// settings, each optimiser that the experiment has a row for, by default and in each
// variant, on the data that auto means and on the sample.
func Cited(ctx context.Context, r *training.Runner, c runs.Citation, assignments []string, auto string) (*plan.Plan, error) {
	plans, err := citedPlans(ctx, c.Name, assignments, auto)
	if err != nil {
		return nil, err
	}
	if _, err := plan.Settle(ctx, r.Loader.Dir, plans); err != nil {
		return nil, err
	}
	var absent error
	for _, p := range plans {
		j, err := r.Job(ctx, p)
		lacking := new(folder.NotInstalledError)
		switch {
		case errors.As(err, &lacking):
			absent = err // another plan may do without
		case err != nil:
			return nil, err
		case strings.HasPrefix(j.Config.ID, c.ID):
			return p, nil
		}
	}
	err = fmt.Errorf("%s is none of the %s runs that were looked at (%d): give the settings that it had as key=value. An ID also depends on the content of data and vectors, and on the version of the program (result version %d)",
		c, c.Name, len(plans), runs.ResultVersion)
	return nil, errors.Join(err, absent)
}

func citedPlans(ctx context.Context, name string, assignments []string, auto string) ([]*plan.Plan, error) {
	if len(assignments) > 0 {
		return plan.Resolve(ctx, append([]string{name}, assignments...), auto)
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	grid := []string{"variant=" + strings.Join(append([]string{"default"}, e.Variants()...), ",")}
	if len(e.Rows) > 0 {
		var names []string
		for _, row := range e.Rows {
			names = append(names, row.Optimizer)
		}
		grid = append(grid, "optimizer="+strings.Join(names, ","))
	}
	var plans []*plan.Plan
	order := []string{"sample", "imdb"} // IMDB last: where it is missing, its error tells how to get it
	if auto == "imdb" {
		slices.Reverse(order)
	}
	info, err := e.Info()
	if err != nil {
		return nil, err
	}
	for i, data := range order {
		order[i] = task.Of(info.New()).AutoData(data)
	}
	for _, data := range slices.Compact(order) {
		more, err := plan.Resolve(ctx, append([]string{name, "data=" + data}, grid...), auto)
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	return plans, nil
}
