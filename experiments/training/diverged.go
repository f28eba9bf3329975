package training

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/runs"
)

// DivergedError is a run that ended because its loss or its gradient was not finite
// any more, or its loss above mostLoss.
type DivergedError struct {
	Message string // where it did, and by what

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

// mostLoss is the mean loss, in nats, above which there is no way back though it is a
// number: it is that of logits of such a size, between which float32 knows steps of 64.
const mostLoss = 1e9

// exploded reports whether a loss is that of a run that has diverged.
func exploded(loss float64) bool { return !finite(loss) || loss > mostLoss }

func divergedAt(epoch, step int, loss, norm float64) error {
	return &DivergedError{Message: fmt.Sprintf("diverged at epoch %d, step %d (loss %s, gradient norm %s)", epoch, step, short(loss), short(norm))}
}

// check refuses the results of an evaluation that have exploded: the last step of the epoch
// may be the one that went too far.
func check(epoch int, train, seen *sums) error {
	if loss := seen.meanLoss(); exploded(loss) {
		return divergedAt(epoch, train.steps, loss, train.norm/float64(train.steps))
	}
	return nil
}

// DivergedIn returns what to tell about a kept run of a plan that has diverged, a
// DivergedError; nil where it has not.
func DivergedIn(kept *runs.Run, p *plan.Plan) error {
	if kept.Status.State != runs.Diverged {
		return nil
	}
	return diverged(p, kept.Status.Message, kept.Status.Epoch)
}

// diverged makes the error with advice from the settings.
func diverged(p *plan.Plan, message string, good int) error {
	lower, far := gentler(p, "lr", p.Run.LR)
	advice := "clip=1"
	switch {
	case far || p.Run.Clip > 0: // clipping does not make up for a rate far too large
		advice = lower
	case p.Run.Optimizer.Optimizer != "sgd": // the length of its steps is the rate's, not the gradient's
		advice = lower + " or clip=1"
	}
	if l, ok := p.Set.Get("lambda"); ok {
		if v, _ := strconv.ParseFloat(l.Value, 64); v > 0 {
			weaker, _ := gentler(p, "lambda", v)
			advice = weaker + " or " + advice
		}
	}
	return &DivergedError{Message: message, Name: p.Experiment.Name, Advice: advice, Good: good}
}

// gentler is advice to make a setting smaller: a tenth of it, or what the experiment has
// itself where it is far above that.
func gentler(p *plan.Plan, key string, x float64) (advice string, far bool) {
	said, _ := p.Said(key)
	if own, _ := strconv.ParseFloat(said, 64); own > 0 && x > 10*own {
		return "its own " + key + "=" + said, true
	}
	return key + "=" + short(x/10), false
}

// short writes three digits, and 4e9 for 4e+09.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}
