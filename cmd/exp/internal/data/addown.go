package data

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/dataset/install"
	"imdbexp/dataset/open"
	"imdbexp/dataset/own"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// addOwn makes a data set of the user's reviews and prints what it contains.
func addOwn(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	reading, stop := progress.Reading(a.IO)
	added, err := install.Reviews(ctx, dir, in, open.Options{Warn: a.Warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	for _, r := range added.Read {
		a.Say(fmt.Sprintf("read %s: %s, as %s", r.File, format.Counted(r.Texts, "review"), r.How), "", "  ")
	}
	a.Say(addedLine(added.Added), "", "  ")
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "train", Right: true}, term.Column{Head: "test", Right: true})
	for i, c := range added.Classes {
		t.Add(c, format.Thousands(added.Counts[dataset.Train][i]), format.Thousands(added.Counts[dataset.Test][i]))
	}
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	for _, remark := range ownRemarks(added) {
		a.Say(remark, "", "  ")
	}
	words := []string{"tme9-lstm", "data=" + in.Name}
	plans, err := plan.Resolve(ctx, words, "sample")
	if err != nil {
		return err
	}
	chosen, err := (&plan.Adapter{Dir: dir}).Adapt(ctx, plans)
	if err != nil {
		return err
	}
	if len(chosen) > 0 {
		a.Say("default settings of a run on this data:", "", "  ")
	}
	for _, text := range chosen {
		a.Say(text, "  ", "    ")
	}
	cli.Next(a.IO, [][2]string{
		{a.Command("run", "baselines", "data="+in.Name), "bag-of-words models, to compare everything else with"},
		{a.Command(append([]string{"run"}, words...)...), "train a network on them"},
		{a.Command("data", "info", in.Name), "lengths, and words with a vector"},
	})
	return nil
}

// ownRemarks describes what is unusual in the reviews.
func ownRemarks(d install.ReviewsAdded) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, r := range d.Read {
		if r.How.Guess != "" {
			say("%s: %s", r.File, r.How.Guess)
		}
		if r.Passed != "" {
			say("%s: nothing goes by its column %q, since --test, --test-fraction or a folder test says what to test on", r.File, r.Passed)
		}
	}
	for _, f := range d.Validation {
		say("%s: added to train, of which data.valid draws its own", f)
	}
	for _, f := range d.PassedOver {
		say("%s: passed over", f)
	}
	if d.HeldOut > 0 {
		say("%s of each class, one review at least, held out for testing, chosen by the texts; --test-fraction changes that, --test names a file", format.Percent(d.HeldOut))
	}
	if d.Empty > 0 {
		say("empty reviews: %s; each counts as one word without a vector", format.Thousands(d.Empty))
	}
	if d.Repeated > 0 {
		text := format.Counted(d.Repeated, "review") + " with a text that was there before"
		if d.Contradicting > 0 {
			text += fmt.Sprintf(", %s of them with another label", format.Thousands(d.Contradicting))
		}
		text += ": kept"
		if d.HeldOut > 0 {
			text += ", the same text always on the same side"
		}
		out = append(out, text)
	}
	if d.Marked > 0 {
		say("%s with a rationale, which exp explain holds word scores against", format.Counted(d.Marked, "review"))
	}
	if d.Shared > 0 {
		say("%s to test on with a text that is in train, too: results on test look better than they are", format.Counted(d.Shared, "review"))
	}
	return out
}
