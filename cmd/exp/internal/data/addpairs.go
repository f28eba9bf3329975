package data

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/install"
	"imdbexp/dataset/open"
	"imdbexp/dataset/own"
	"imdbexp/internal/format"
)

// addPairs makes a data set of the user's sentence pairs and prints what it contains.
func addPairs(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	reading, stop := progress.Reading(a.IO)
	added, err := install.Pairs(ctx, dir, in, open.Options{Warn: a.Warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	for _, r := range added.Read {
		a.Say(fmt.Sprintf("read %s: %s, as %s", r.File, format.Counted(r.Texts, "pair"), r.How), "", "  ")
	}
	a.Say(addedLine(added.Added), "", "  ")
	for _, remark := range pairRemarks(added) {
		a.Say(remark, "", "  ")
	}
	cli.Next(a.IO, [][2]string{
		{a.Command("run", "seq2seq-bahdanau", "data="+in.Name), "learn to translate them"},
		{a.Command("data", "info", in.Name), "lengths, and words that are not in train"},
	})
	return nil
}

// pairRemarks describes what is unusual in the pairs.
func pairRemarks(d install.PairsAdded) []string {
	var out []string
	for _, r := range d.Read {
		if r.How.Guess != "" {
			out = append(out, r.File+": "+r.How.Guess)
		}
	}
	say := func(n int, text string) {
		if n > 0 {
			out = append(out, fmt.Sprintf(text, format.Counted(n, "pair")))
		}
	}
	if d.HeldOut > 0 {
		out = append(out, fmt.Sprintf("%s of the sources held out for testing, chosen by their texts; --test-fraction changes that, --test names a file, a column split says it of each", format.Percent(d.HeldOut)))
	}
	say(d.Empty, "%s left out: one side is empty")
	say(d.Repeated, "%s repeated word by word: kept")
	say(d.Ambiguous, "%s with another target than the same source had before: kept")
	say(d.Shared, "%s to test on with a source that is in train, too: results on test look better than they are")
	return out
}
