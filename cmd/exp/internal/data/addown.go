package data

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// addReviews makes a data set of the user's reviews and prints what it contains.
func addReviews(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	added, err := folder.AddReviews(ctx, dir, in, o)
	if stop(); err != nil {
		return err
	}
	sayRead(a, added.Read, "review")
	a.Say(addedLine(added.Added))
	t := term.NewTable(term.Left("class"), term.Right("train"), term.Right("test"))
	for i, c := range added.Classes {
		t.Add(c, format.Thousands(added.Counts[dataset.Train][i]), format.Thousands(added.Counts[dataset.Test][i]))
	}
	t.Text(a.IO, "  ")
	for _, remark := range reviewRemarks(added) {
		a.Say(remark)
	}
	if all := added.Train + added.Test; added.HeldOut > 0 && all < fewReviews {
		a.Say(fmt.Sprintf("few reviews: accuracy depends on which are held out. For the mean of ten splits: %s",
			a.Command("run", "baselines", "data="+in.Name, "data.test_seed=1..10")))
	}
	words := []string{"tme9-lstm", "data=" + in.Name}
	if added.Foreign {
		a.Say(foreign)
		words = append(words, "tokens=unicode")
	}
	cli.Next(a.IO, [][2]string{
		{a.Command(append([]string{"run", "baselines"}, words[1:]...)...), "train bag-of-words models, as baselines"},
		{a.Command(append([]string{"run"}, words...)...), "train a network on them"},
		{a.Command("data", "info", in.Name), "lengths, and words with a vector"},
	})
	return nil
}

// fewReviews is the number of reviews below which repeated splits are suggested.
const fewReviews = 500

// foreign is the remark on texts that may not be English.
const foreign = "the texts have few of the commonest English words. If they are not English, use tokens=unicode, which splits them at Unicode's word boundaries and after elisions (l'histoire); the default tokens=ptb splits by English rules"

// addPairs makes a data set of the user's sentence pairs and prints what it contains.
func addPairs(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	added, err := folder.AddPairs(ctx, dir, in, o)
	if stop(); err != nil {
		return err
	}
	sayRead(a, added.Read, "pair")
	a.Say(addedLine(added.Added))
	if added.HeldOut > 0 {
		a.Say(fmt.Sprintf("%s of the sources held out for testing, chosen by their texts; --test-fraction changes that, --test names a file, a column split decides for each pair", format.Percent(added.HeldOut)))
	}
	for _, x := range []struct {
		n    int
		what string
	}{
		{added.Empty, "omitted: one side is empty"},
		{added.Repeated, "repeated word by word: kept"},
		{added.Ambiguous, "with a source that had another target before: kept"},
		{added.Shared, "in test with a source that is also in train: results on test look better than they are"},
	} {
		if x.n > 0 {
			a.Say(format.Counted(x.n, "pair") + " " + x.what)
		}
	}
	words := []string{"run", "seq2seq-bahdanau", "data=" + in.Name}
	if added.Foreign {
		a.Say(foreign)
		words = append(words, "tokens=unicode")
	}
	cli.Next(a.IO, [][2]string{
		{a.Command(words...), "learn to translate them"},
		{a.Command("data", "info", in.Name), "lengths, and words that are not in train"},
	})
	return nil
}

// addProbe makes a probe of the user's minimal pairs and prints what it contains.
func addProbe(ctx context.Context, a *cli.App, dir string, in probe.Files) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	added, err := folder.AddProbe(ctx, dir, in, o)
	if stop(); err != nil {
		return err
	}
	for _, s := range added.Sources {
		a.Say(fmt.Sprintf("read %s, as %s", s.File, s.How))
	}
	a.Say(addedLine(added.Added))
	probeTable(added.Probe).Text(a.IO, "  ")
	cli.Next(a.IO, [][2]string{
		{a.Command("run", "tme9-simple", "nbsvm", "data.exclude="+in.Name), "train without its texts"},
		{a.Command("probe", "@last", "--on", in.Name), "test the newest run on its pairs"},
	})
	return nil
}

// probeTable lists the sets of a probe.
func probeTable(p *probe.Probe) *term.Table {
	t := term.NewTable(term.Left("set"), term.Right("pairs"), term.Right("with two labels"))
	for _, set := range p.Sets() {
		pairs, other := 0, 0
		for _, x := range p.Pairs {
			if x.Set == set {
				pairs++
				if dataset.LabelKey(x.Original.Label) != dataset.LabelKey(x.Rewritten.Label) {
					other++
				}
			}
		}
		t.Add(set, format.Thousands(pairs), format.Thousands(other))
	}
	return t
}

// sayRead prints how each file was read.
func sayRead(a *cli.App, read []own.FileRead, unit string) {
	for _, r := range read {
		a.Say(fmt.Sprintf("read %s: %s, as %s", r.File, format.Counted(r.Texts, unit), r.How))
		if r.How.Guess != "" {
			a.Say(r.File + ": " + r.How.Guess)
		}
		if r.How.Entities > 0 {
			a.Say(fmt.Sprintf("%s: decoded &quot;, \\n and the like in %s (--keep-entities leaves them)", r.File, format.Counted(r.How.Entities, unit)))
		}
	}
}

// largeShare is the share of the largest class above which classes are called unequal.
const largeShare = 0.6

// reviewRemarks describes what is unusual in the reviews.
func reviewRemarks(d folder.ReviewsAdded) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, r := range d.Read {
		if r.Passed != "" {
			say("%s: its column %q is not used, because --test, --test-fraction or a test file selects the test part", r.File, r.Passed)
		}
	}
	if len(d.Merged) > 0 {
		say("equal numbers are one class: %s", strings.Join(d.Merged, ", "))
	}
	out = append(out, d.Notes...)
	train := d.Counts[dataset.Train]
	largest, smallest := slices.Index(train, slices.Max(train)), slices.Index(train, slices.Min(train))
	if share := float64(train[largest]) / float64(d.Train); share > largeShare && train[smallest] > 0 {
		say("unequal classes: %s of train is %s, %.3g times as many as %s. A model that always predicts %[2]s has that accuracy: compare macro-F1",
			format.Percent(share), d.Classes[largest], float64(train[largest])/float64(train[smallest]), d.Classes[smallest])
	}
	if d.HeldOut > 0 {
		say("%s of each class, at least one review, held out for testing, chosen by the texts; --test-fraction changes that, --test names a file", format.Percent(d.HeldOut))
	}
	if d.Empty > 0 {
		say("empty reviews: %s; each counts as one word without a vector", format.Thousands(d.Empty))
	}
	if d.Repeated > 0 {
		say("%s that repeat an earlier text, %s of them with another label: kept; where reviews are held out, equal texts are on the same side",
			format.Counted(d.Repeated, "review"), format.Thousands(d.Contradicting))
	}
	if d.Marked > 0 {
		say("%s with a rationale, which exp explain compares word scores with", format.Counted(d.Marked, "review"))
	}
	if d.Shared > 0 {
		say("%s in test with a text that is also in train: results on test look better than they are", format.Counted(d.Shared, "review"))
	}
	return out
}
