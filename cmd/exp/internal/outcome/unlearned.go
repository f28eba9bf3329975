package outcome

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/number"
	"imdbexp/runs"
)

// Unlearned is a run whose model says no more about a review than the shares of the
// classes do.
type Unlearned struct {
	run       *runs.Run
	loss, acc float64 // on test, else on the validation split, else on train
	guess     float64 // loss of guessing by the shares, in nats
}

// atGuess is how near to the loss of guessing a loss is that tells nothing; accuracies
// may be so many standard errors above the largest share.
const (
	atGuess     = 0.985
	guessSigmas = 3
	exploded    = 2 // times the loss of guessing: what is so sure of wrong answers does not guess
)

// NotLearned tells whether a run of reviews is at chance, on train as well as where it
// was evaluated; nil where it is not, or where that is not known.
func NotLearned(run *runs.Run) *Unlearned {
	m, err := run.Chosen()
	if err != nil || run.Config.Task() != runs.Reviews || m.TrainAcc == nil {
		return nil
	}
	shares := shares(run)
	u := &Unlearned{run: run}
	largest := 0.0
	for _, p := range shares {
		largest = max(largest, p)
		if p > 0 {
			u.guess -= p * math.Log(p)
		}
	}
	above := func(acc *float64, reviews int) bool {
		deviation := math.Sqrt(largest * (1 - largest) / float64(max(reviews, 1)))
		return *acc/100 > largest+guessSigmas*deviation
	}
	d := run.Config.Data
	loss, acc, reviews := m.TrainLoss, m.TrainAcc, d.Train.Reviews
	switch {
	case m.TestAcc != nil && m.TestLoss != nil:
		loss, acc, reviews = m.TestLoss, m.TestAcc, d.Test.Reviews
	case m.ValidAcc != nil && m.ValidLoss != nil:
		loss, acc, reviews = m.ValidLoss, m.ValidAcc, d.Valid.Reviews
	}
	if loss == nil || *loss < atGuess*u.guess || above(m.TrainAcc, d.Train.Reviews) || above(acc, reviews) {
		return nil
	}
	u.loss, u.acc = *loss, *acc
	return u
}

// shares are those of the classes among the test reviews, or equal ones where their
// labels are not known.
func shares(run *runs.Run) []float64 {
	n := len(run.Config.Classes)
	out := make([]float64, n)
	answers, err := run.Answers()
	list, ok := answers.(*runs.Predictions)
	if err != nil || !ok || len(list.Rows) == 0 {
		for i := range out {
			out[i] = 1 / float64(n)
		}
		return out
	}
	for _, row := range list.Rows {
		if row.Label >= 0 && row.Label < n {
			out[row.Label] += 1 / float64(len(list.Rows))
		}
	}
	return out
}

// Text says it in a sentence, with a likely reason and what to try.
func (u *Unlearned) Text(a *cli.App) string {
	if u.loss > exploded*u.guess {
		return fmt.Sprintf("%s has not learned: its loss has exploded to %s, where guessing gives %.3f. %s",
			u.run.Config.Name, number.Fixed(&u.loss, 3), u.guess, u.advice(a))
	}
	return fmt.Sprintf("%s has not learned: a loss of %.3f and %.1f %% are what guessing gives (%.3f). %s",
		u.run.Config.Name, u.loss, u.acc, u.guess, u.advice(a))
}

// advice names the setting that most likely stands in the way, and what to try.
func (u *Unlearned) advice(a *cli.App) string {
	c := &u.run.Config
	with := func(more ...string) string { return a.Command(append(again(a, c, more...), more...)...) }
	value, general := c.Setting, c.General()
	switch {
	case c.Counts():
		return "Its n-grams may be too few or too rare; try " + with("ngrams.min_count=1") + ", or " + with("c=0.01,1,100")
	case u.loss > exploded*u.guess && slices.ContainsFunc(c.Given(), func(s runs.Value) bool { return s.Key == "lr" }):
		return "lr=" + value("lr") + " may be too long a step; try " + a.Command(again(a, c, "lr=")...)
	case u.loss > exploded*u.guess:
		return "Its steps may be too long; try " + with("lr="+strconv.FormatFloat(general.LR/10, 'g', 3, 64))
	case value("slip.relu_logits") == "true":
		return "slip.relu_logits=true can hold all logits at zero, where nothing has a gradient; try other seeds: " + with("seed=1..8")
	case value("slip.batch_slot_norm") == "true":
		return "slip.batch_slot_norm=true takes away what the reviews of a batch have in common at each word; try " + with("slip.batch_slot_norm=false")
	case strings.Trim(value("lambda"), "0.") != "":
		return "lambda=" + value("lambda") + " may weigh more than the labels; try " + with("lambda=0")
	case general.Optimizer.Optimizer == "sgd" && general.Momentum == 0:
		return fmt.Sprintf("SGD without momentum moves little in few steps; try %s", with("lr=0.1", "momentum=0.9", "clip=0.25"))
	}
	return "Try more epochs, or another rate, which " + with("--find-lr") + " suggests; --overfit tells whether the model can learn at all"
}

// again is what to type for a run like this one but for its seed, and for settings that
// others take the place of.
func again(a *cli.App, c *runs.Config, others ...string) []string {
	words := slices.DeleteFunc(a.Names().Words(c), func(w string) bool {
		key, _, _ := strings.Cut(w, "=")
		return slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return append([]string{"run"}, words...)
}
