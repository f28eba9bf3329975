package draw

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset/sample"
	"imdbexp/runs"
)

// chosenText is a text to draw and its description.
type chosenText struct{ text, what string }

// usualWords is the length of the review in the report's figure 18.
const usualWords = 94

// textFor returns the given words, standard input, a review by its ID, or a review of the
// usual length.
func textFor(ctx context.Context, a *cli.App, run *runs.Run, words []string, review string) (chosenText, error) {
	switch {
	case len(words) == 1 && words[0] == "-":
		text, err := cli.TypedText(a.IO)
		return chosenText{text, "the text given"}, err
	case len(words) > 0:
		return chosenText{strings.Join(words, " "), "the text given"}, nil
	}
	dir, err := a.Installed()
	if err != nil {
		return chosenText{}, err
	}
	if review != "" {
		text, err := infer.Text(ctx, dir, run, review)
		return chosenText{text, "review " + review}, err
	}
	id, err := usualReview(run)
	if err == nil {
		var text string
		if text, err = infer.Text(ctx, dir, run, id); err == nil {
			return chosenText{text, "review " + id}, nil
		}
	}
	if ctx.Err() != nil {
		return chosenText{}, err
	}
	a.Warn(fmt.Errorf("using a review of the sample instead of the run's data: %w", err))
	return sampleText(), nil
}

// usualReview returns the test review of a run with the length nearest to the usual one.
func usualReview(run *runs.Run) (string, error) {
	p, err := run.Predictions()
	if err != nil {
		return "", err
	}
	id, nearest := "", 0
	for _, r := range p.Rows {
		if far := abs(r.Words - usualWords); id == "" || far < nearest {
			id, nearest = r.Review, far
		}
	}
	if id == "" {
		return "", fmt.Errorf("%s has no test reviews", run.Label())
	}
	return id, nil
}

// sampleText returns the sample's first test review of about the usual length.
func sampleText() chosenText {
	_, test := sample.Reviews()
	best, nearest := test[0], usualWords
	for _, r := range test {
		if far := abs(len(strings.Fields(r.Text)) - usualWords); far < nearest {
			best, nearest = r, far
		}
	}
	return chosenText{best.Text, "review " + best.ID + " of the sample"}
}

func abs(n int) int { return max(n, -n) }
