package run

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
)

// overfitTarget is the loss, in nats, below which the model overfits the batch: each review, or each
// word of a translation, is predicted with 99 %.
const overfitTarget = 0.01

// overfitEach overfits a batch with each plan.
func overfitEach(ctx context.Context, a *cli.App, r *training.Runner, plans []*plan.Plan) error {
	labels := grid.Labels(plans)
	var failed error
	for i, p := range plans {
		err := overfit(ctx, a, r, p, labels[i])
		if ctx.Err() != nil || len(plans) == 1 {
			return err
		}
		if err != nil {
			fmt.Fprintf(a.IO.Err, "exp: %s: %v\n", labels[i], err)
			failed = cli.Reported(grid.Worst(failed, err))
		}
	}
	return failed
}

// overfit trains on one batch until the model overfits it. If it does not, the error suggests why.
func overfit(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan, label string) error {
	o, err := r.Overfit(ctx, p, overfitTarget)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: loss %.3g → %.3g in %d steps on one batch of %s (Adam, no dropout, no penalties)",
		label, o.First, o.Last, o.Steps, format.Counted(o.Reviews, p.Task().Kind().One))
	if dead := o.Dead(); len(dead) > 0 {
		text += "; gradient zero at the first step: " + strings.Join(dead, ", ")
	}
	if o.Reached {
		a.Say(text, "", "  ")
		return nil
	}
	return fmt.Errorf("%s; not below %g%s", text, overfitTarget, whyNot(p, o))
}

// whyNot suggests why the model does not overfit the batch.
func whyNot(p *plan.Plan, o *training.Overfit) string {
	switch on := func(key string) bool { s, ok := p.Set.Get(key); return ok && s.Value == "true" }; {
	case on("slip.sigmoid_logits"):
		return ": with slip.sigmoid_logits=true no loss is under 0.3133"
	case on("slip.relu_logits"):
		return ": slip.relu_logits=true can hold logits at zero; try another seed"
	case len(o.Dead()) == len(o.Gradients):
		return ": no weight has a gradient; does the cost depend on them?"
	case len(o.Dead()) > 0:
		return ": are the weights without a gradient used, or held back by an activation?"
	}
	return ""
}
