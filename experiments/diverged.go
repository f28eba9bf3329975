package experiments

import (
	"fmt"
	"strconv"
)

// divergedError ends a run whose loss or gradient is not finite any more.
type divergedError struct {
	epoch, step int
	loss, norm  float64
}

func (e *divergedError) Error() string {
	return fmt.Sprintf("diverged at epoch %d, step %d (loss %.3g, gradient norm %.3g)", e.epoch, e.step, e.loss, e.norm)
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

func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
