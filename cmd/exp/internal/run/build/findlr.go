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
	x, y := chart.Rising(s.LR, s.Loss)
	panel := chart.Panel{
		X: "learning rate", Y: "loss (nats)", XAxis: chart.Axis{Low: s.LR[0], High: s.LR[len(s.LR)-1], Log: true}, YAxis: chart.Axis{Margin: 0.05, Min: canvas.LeastLoss},
		Lines: []chart.Line{{Name: "loss", X: x, Y: y}},
		Marks: []chart.Mark{{Name: fmt.Sprintf("suggested, %.2g", lr), At: lr}, {Name: fmt.Sprintf("set, %.2g", set), At: set, Faint: true}},
	}
	f, err := chart.Lines{Name: "lr-" + p.Experiment.Name, Title: "Loss over a rising learning rate, " + p.Experiment.Name, Panels: []chart.Panel{panel}}.Figure()
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Page, out, a.Wrap(see, "", "  "))
}
