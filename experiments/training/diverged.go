package experiments

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/runs"
)

// divergedError ends a run whose loss or gradient is not finite any more.
type divergedError struct {
	epoch, step int
	loss, norm  float64
}

func (e *divergedError) Error() string {
	return fmt.Sprintf("diverged at epoch %d, step %d (loss %s, gradient norm %s)", e.epoch, e.step, short(e.loss), short(e.norm))
}

// check refuses the results of an evaluation that are not finite: the last step
// of the epoch may be the one that went too far.
func (t *trainer) check(epoch int, train, seen *tally) error {
	if loss := seen.meanLoss(); !finite(loss) {
		return &divergedError{epoch, train.steps, loss, train.norm / float64(train.steps)}
	}
	return nil
}

// DivergedError is a run that ended because its numbers did.
type DivergedError struct {
	Name, Message, Advice string
	Good                  int // last whole epoch, 0 for none
}

func (e *DivergedError) Error() string {
	good := "No epoch was completed"
	if e.Good > 0 {
		good = fmt.Sprintf("Last good checkpoint: epoch %d", e.Good)
	}
	return fmt.Sprintf("%s %s. %s. Try %s", e.Name, e.Message, good, e.Advice)
}

// DivergedIn returns what to tell about a kept run of a plan that has diverged, a
// DivergedError; nil where it has not.
func DivergedIn(kept *runs.Run, p *Plan) error {
	if kept.Status.State != runs.Diverged {
		return nil
	}
	return diverged(p, kept.Status.Message, kept.Status.Epoch)
}

// diverged makes the error with advice from the settings.
func diverged(p *Plan, message string, good int) error {
	advice := "clip=1"
	if p.Run.Clip > 0 {
		advice = "lr=" + short(p.Run.LR/10)
	}
	if l, ok := p.Set.Get("lambda"); ok {
		if v, _ := strconv.ParseFloat(l.Value, 64); v > 0 {
			advice = "lambda=" + short(v/10) + " or " + advice
		}
	}
	return &DivergedError{p.Experiment.Name, message, advice, good}
}

// short writes three digits, and 4e9 for 4e+09.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}
