package outcome

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
)

// Unlearned is a run at chance level.
type Unlearned struct {
	*report.Chance
	run *runs.Run
}

// NotLearned returns a result for a run on reviews that is at chance level; nil for other runs.
func NotLearned(run *runs.Run) *Unlearned {
	if c := report.AtChance(run); c != nil {
		return &Unlearned{c, run}
	}
	return nil
}

// Text describes it in a sentence, with a likely cause and a command to try.
func (u *Unlearned) Text(a *cli.App) string {
	if u.Exploded() {
		return fmt.Sprintf("%s has not learned: its loss has exploded to %s, from about %.3f at the start. %s",
			u.run.Config.Name, format.Optional(&u.Loss, 3), u.Start, u.advice(a))
	}
	as := "what guessing gives (%.3f)"
	if !u.Guesses() {
		as = "no better than guessing, which gives %.3f"
	}
	return fmt.Sprintf("%s has not learned: a loss of %.3f and %.1f %% are "+as+". %s",
		u.run.Config.Name, u.Loss, u.Acc, u.Guess, u.advice(a))
}

// Reason returns the likely reason, without the command to try.
func (u *Unlearned) Reason(a *cli.App) string {
	reason, _, _ := strings.Cut(u.advice(a), cli.CommandLine("run"))
	return reason
}

// advice names the setting that is most likely the cause, and a command to try.
func (u *Unlearned) advice(a *cli.App) string {
	c := &u.run.Config
	with := func(more ...string) string { return a.Command(append(again(a, c, more...), more...)...) }
	value, general := c.Setting, c.General()
	switch {
	case c.Counts():
		return "Its n-grams may be too few or too rare; try " + with("ngrams.min_count=1") + ", or " + with("c=0.01,1,100")
	case u.Exploded() && slices.ContainsFunc(c.Given(), func(s runs.Value) bool { return s.Key == "lr" }):
		return "lr=" + value("lr") + " may be too large; try " + a.Command(again(a, c, "lr=")...)
	case u.Exploded():
		return "Its learning rate may be too large; try " + with("lr="+strconv.FormatFloat(general.LR/10, 'g', 3, 64))
	case u.falling():
		return "Its loss is still falling; try more epochs: " + with(fmt.Sprintf("epochs=%d", 4*general.Epochs))
	case value("slip.relu_logits") == "true":
		return "slip.relu_logits=true can hold all logits at zero, where nothing has a gradient; try other seeds: " + with("seed=1..8")
	case value("slip.batch_slot_norm") == "true":
		return "slip.batch_slot_norm=true subtracts the mean of the batch at each word position; try " + with("slip.batch_slot_norm=false")
	case strings.Trim(value("lambda"), "0.") != "":
		return "lambda=" + value("lambda") + " may outweigh the labels; try " + with("lambda=0")
	case general.Optimizer.Optimizer == "sgd" && general.Momentum == 0:
		return fmt.Sprintf("SGD without momentum learns slowly; try %s", with("lr=0.1", "momentum=0.9", "clip=0.25"))
	}
	return "Try more epochs, or other learning rates: " + with(fmt.Sprintf("lr=%.3g,%.3g", general.LR/3, 3*general.LR))
}

// falling reports whether the loss on train has fallen since the first epoch, by 1 % at least.
func (u *Unlearned) falling() bool {
	all, err := u.run.Metrics()
	if err != nil || len(all) < 2 {
		return false
	}
	first, last := all[0].TrainLoss, all[len(all)-1].TrainLoss
	return first != nil && last != nil && *last < 0.99**first
}

// again returns the command for a run like this one, without its seed and the settings that
// others replace.
func again(a *cli.App, c *runs.Config, others ...string) []string {
	words := slices.DeleteFunc(a.Names().Words(c), func(w string) bool {
		key, _, _ := strings.Cut(w, "=")
		return slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return append([]string{"run"}, words...)
}
