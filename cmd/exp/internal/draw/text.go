package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// chosenText is a text to be drawn and where it comes from.
type chosenText struct{ text, what string }

// usualWords is how long the review of the report's figure 18 is.
const usualWords = 94

// textFor returns what the words of the command line ask for: themselves, standard
// input, a review by its ID, or one of the usual length.
func (a *app) textFor(ctx context.Context, run *runs.Run, words []string, review string) (chosenText, error) {
	switch {
	case len(words) == 1 && words[0] == "-":
		return a.typed()
	case len(words) > 0:
		return chosenText{strings.Join(words, " "), "the text given"}, nil
	}
	dir, err := a.data()
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
	a.warn(fmt.Errorf("the sample's words instead of the run's: %w", err))
	return sampleText(), nil
}

// mostText bounds what is read from standard input.
const mostText = 1 << 20

func (a *app) typed() (chosenText, error) {
	b, err := a.standardInput(mostText)
	return chosenText{string(b), "the text given"}, err
}

// standardInput reads all of it; more than so many bytes are an error.
func (a *app) standardInput(most int64) ([]byte, error) {
	if a.io.In == nil {
		return nil, usage(errors.New("there is no standard input to read"))
	}
	b, err := io.ReadAll(io.LimitReader(a.io.In, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("standard input: %w", err)
	case int64(len(b)) > most:
		return nil, fmt.Errorf("standard input: more than %s of text", fileSize(most))
	}
	return b, nil
}

// usualReview returns the first test review of a run that comes nearest to the
// usual length. An unfinished run names none.
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
