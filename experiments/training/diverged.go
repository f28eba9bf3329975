package training

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// DivergedError is the error of a run whose loss or gradient is not finite any more, or whose loss is
// above maxLoss.
type DivergedError struct {
	Message string // the epoch, step and loss

	Name, Advice string // "" for training that keeps no run
	Good         int    // last whole epoch, 0 for none
}

func (e *DivergedError) Error() string {
	good := "No epoch was completed"
	switch {
	case e.Name == "":
		return e.Message
	case e.Good > 0:
		good = fmt.Sprintf("Last good checkpoint: epoch %d", e.Good)
	}
	return fmt.Sprintf("%s %s. %s. Try %s", e.Name, e.Message, good, e.Advice)
}

// maxLoss is the mean loss, in nats, above which a run has diverged. The logits are then so large that
// neighbouring float32 numbers differ by 64.
const maxLoss = 1e9

// exploded reports whether the loss is that of a diverged run.
func exploded(loss float64) bool { return !finite(loss) || loss > maxLoss }

func divergedAt(epoch, step int, loss, norm float64) error {
	return &DivergedError{Message: fmt.Sprintf("diverged at epoch %d, step %d (loss %s, gradient norm %s)", epoch, step, short(loss), short(norm))}
}

// check returns an error if the loss of an evaluation has exploded, which the last step of the epoch
// may have caused.
func check(epoch int, train, seen *sums) error {
	if loss := seen.meanLoss(); exploded(loss) {
		return divergedAt(epoch, train.steps, loss, train.norm/float64(train.steps))
	}
	return nil
}

// DivergedIn returns the DivergedError of a kept run of a plan; nil if the run has not diverged.
func DivergedIn(kept *runs.Run, p *plan.Plan) error {
	if kept.Status.State != runs.Diverged {
		return nil
	}
	return diverged(p, kept.Status.Message, kept.Status.Epoch)
}

// diverged returns the error with advice: the experiment's own learning rate, or a tenth of it, and clipping.
func diverged(p *plan.Plan, message string, good int) error {
	own, _ := p.Said("lr")
	advice := "its own lr=" + own
	if now, _ := p.Set.Get("lr"); now.Value == own {
		advice = "lr=" + short(p.Run.LR/10)
	}
	if p.Run.Clip == 0 {
		advice += " or clip=1"
	}
	return &DivergedError{Message: message, Name: p.Experiment.Name, Advice: advice, Good: good}
}

// short writes three digits, and 4e9 for 4e+09.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}
