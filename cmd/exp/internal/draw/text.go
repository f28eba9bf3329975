package draw

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
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
	if err != nil {
		return chosenText{}, err
	}
	text, err := infer.Text(ctx, dir, run, id)
	if err != nil {
		err = fmt.Errorf("%w; a text needs no data: %s", err, a.Command("draw", "dots", run.Label(), "some text"))
	}
	return chosenText{text, "review " + id}, err
}

// usualReview returns the test review of a run with the length nearest to the usual one.
func usualReview(run *runs.Run) (string, error) {
	p, err := run.Predictions()
	if err != nil {
		return "", err
	}
	if len(p.Rows) == 0 {
		return "", fmt.Errorf("%s has no test reviews", run.Label())
	}
	away := func(r runs.Prediction) int { return max(r.Words-usualWords, usualWords-r.Words) }
	return slices.MinFunc(p.Rows, func(a, b runs.Prediction) int { return away(a) - away(b) }).Review, nil
}
