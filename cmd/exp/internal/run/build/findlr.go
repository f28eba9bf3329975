package build

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// findLR sweeps the learning rate, draws the loss and suggests a rate.
func findLR(ctx context.Context, a *cli.App, r *training.Runner, p *plan.Plan, out string) error {
	show := func(int, int) {}
	if a.Terminal() {
		w := progress.NewBar(a.IO)
		defer w.Stop()
		show = func(done, total int) { w.Set(int64(done), int64(total), p.Experiment.Name, "rising learning rate") }
	}
	set := p.Run.LR
	s, err := r.FindLR(ctx, p, show)
	if err != nil {
		return err
	}
	lr, ok := s.Suggested()
	if !ok {
		return fmt.Errorf("%s: in %d steps of a rising learning rate the loss does not fall: the model starts slowly, or does not learn; exp run %[1]s --overfit checks that", p.Experiment.Name, len(s.LR))
	}
	lowest, _ := s.Minimum()
	see := fmt.Sprintf("the loss is lowest at a learning rate of %.2g, which is almost too high; suggested: lr=%.2g (now: %.3g). This is from the first steps of one seed: try rates around it with lr=log:%.1g..%.1g/4",
		lowest, lr, set, lr/3, lr*10/3)
	f, err := chart.Sweep{
		Name: "lr-" + p.Experiment.Name, Title: "Loss over a rising learning rate, " + p.Experiment.Name,
		X: s.LR, Y: s.Loss, Suggested: lr, Set: set,
	}.Figure()
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, out, a.Wrap(see, "", "  "))
}
