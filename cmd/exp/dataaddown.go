package main

import (
	"context"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/install"
	"imdbexp/dataset/open"
	"imdbexp/dataset/own"
	"imdbexp/internal/term"
)

// addOwn makes a data set of a user's own reviews and tells what became of them.
func (a *app) addOwn(ctx context.Context, dir string, in own.Data) error {
	reading, stop := a.reading()
	added, err := install.Reviews(ctx, dir, in, open.Options{Warn: a.warn, Progress: reading})
	stop()
	if err != nil {
		return err
	}
	for _, r := range added.Read {
		a.printf("%s\n", a.wrap(fmt.Sprintf("read %s: %s %s, as %s", r.File, thousands(r.Texts), counted(r.Texts, "review"), r.How), "", "  "))
	}
	a.printf("%s\n", a.wrap(addedLine(added.Added), "", "  "))
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "train", Right: true}, term.Column{Head: "test", Right: true})
	for i, c := range added.Classes {
		t.Add(c, thousands(added.Counts[dataset.Train][i]), thousands(added.Counts[dataset.Test][i]))
	}
	if err := t.Text(a.io, "  "); err != nil {
		return err
	}
	for _, remark := range ownRemarks(added) {
		a.printf("%s\n", a.wrap(remark, "", "  "))
	}
	a.commands([][2]string{
		{a.command("run", "tme9-lstm", "data="+in.Name), "train on them, with word vectors trained on them, too"},
		{a.command("data", "info", in.Name), "lengths, and words that vectors know"},
	})
	return nil
}

// ownRemarks says what became of reviews that are not as most are.
func ownRemarks(d install.ReviewsAdded) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if d.HeldOut > 0 {
		say("%s of each class held out for testing, chosen by the texts; --test-fraction changes that, --test names a file", percent(d.HeldOut))
	}
	if d.Empty > 0 {
		say("empty reviews: %s; each counts as one word without a vector", thousands(d.Empty))
	}
	if d.Repeated > 0 {
		text := reviews(d.Repeated) + " with a text that was there before"
		if d.Contradicting > 0 {
			text += fmt.Sprintf(", %s of them with another label", thousands(d.Contradicting))
		}
		text += ": kept"
		if d.HeldOut > 0 {
			text += ", the same text always on the same side"
		}
		out = append(out, text)
	}
	if d.Shared > 0 {
		say("%s to test on with a text that is in train, too: results on test look better than they are", reviews(d.Shared))
	}
	return out
}

func reviews(n int) string { return thousands(n) + " " + counted(n, "review") }

// counted is a noun behind a number.
func counted(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
