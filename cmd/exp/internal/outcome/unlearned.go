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

// NotLearned describes a run on reviews that is at chance level in a sentence, and names a likely cause with a command
// to try. Other runs have "".
func NotLearned(a *cli.App, run *runs.Run) (text, advice string) {
	u := report.AtChance(run)
	if u == nil {
		return "", ""
	}
	text = fmt.Sprintf("%s has not learned: ", run.Config.Name)
	switch {
	case u.Exploded():
		text += fmt.Sprintf("its loss has exploded to %s, from about %.3f at the start.", format.Optional(&u.Loss, 3), u.Start)
	case u.Guesses():
		text += fmt.Sprintf("a loss of %.3f and %.1f %% are what guessing gives (%.3f).", u.Loss, u.Acc, u.Guess)
	default:
		text += fmt.Sprintf("a loss of %.3f and %.1f %% are no better than guessing, which gives %.3f.", u.Loss, u.Acc, u.Guess)
	}
	why, try := cause(run, u)
	words := slices.DeleteFunc(a.Names().Words(&run.Config), func(w string) bool { // without those that try replaces
		key, _, _ := strings.Cut(w, "=")
		return slices.ContainsFunc(try, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return text, why + "; try " + a.Command(slices.Concat([]string{"run"}, words, slices.DeleteFunc(try, func(w string) bool { return w == "lr=" }))...)
}

// suspects are settings that can keep a model from learning, each with the value that it can be tried with.
var suspects = []struct{ key, with, why string }{
	{"slip.relu_logits", "false", "can hold all logits at zero, where nothing has a gradient"},
	{"slip.batch_slot_norm", "false", "subtracts the mean of the batch at each word position"},
	{"lambda", "0", "may outweigh the labels"},
}

// cause returns the likely cause of a run at chance level, and settings to try.
func cause(run *runs.Run, u *report.Chance) (why string, try []string) {
	c, general := &run.Config, run.Config.General()
	switch {
	case c.Counts():
		return "Its n-grams may be too few or too rare", []string{"ngrams.min_count=1"}
	case u.Exploded() && slices.ContainsFunc(c.Given(), func(s runs.Value) bool { return s.Key == "lr" }):
		return "lr=" + c.Setting("lr") + " may be too large", []string{"lr="} // the default
	case u.Exploded():
		return "Its learning rate may be too large", []string{"lr=" + strconv.FormatFloat(general.LR/10, 'g', 3, 64)}
	case falling(run):
		return "Its loss is still falling", []string{fmt.Sprintf("epochs=%d", 4*general.Epochs)}
	}
	for _, s := range suspects {
		if value := c.Setting(s.key); value != "" && value != s.with {
			return fmt.Sprintf("%s=%s %s", s.key, value, s.why), []string{s.key + "=" + s.with}
		}
	}
	return "More epochs or other learning rates may help", []string{fmt.Sprintf("lr=%.3g,%.3g", general.LR/3, 3*general.LR)}
}

// falling reports whether the loss on train has fallen since the first epoch, by 1 % at least.
func falling(run *runs.Run) bool {
	all, err := run.Metrics()
	if err != nil || len(all) < 2 {
		return false
	}
	first, last := all[0].TrainLoss, all[len(all)-1].TrainLoss
	return first != nil && last != nil && *last < 0.99**first
}
