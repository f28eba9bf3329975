package task

import (
	"context"
	"errors"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/open"
)

// Amount is how much there is to train on. Counting ends at the limits below: beyond
// them nothing depends on it.
type Amount struct {
	Reviews int // with labels
	Classes int
	Words   int  // between blanks, those of unlabelled reviews, too
	Texts   int  // that have these words
	English bool // as GloVe is
}

// Short reports whether the texts are nearer to sentences than to reviews.
func (a Amount) Short() bool { return a.Words < shortText*a.Texts }

// Below these, own data is small: see docs/vectors.md and docs/data.md for how they were
// found.
const (
	FewWords   = 250_000
	FewReviews = 20_000
	shortText  = 60 // words on average: between the 16 and 230 of what was measured
)

// function are words that English texts are full of, and no others.
var function = map[string]bool{"the": true, "and": true, "of": true, "to": true, "this": true, "it": true}

// functionShare is their least share in English; in the reviews of IMDB it is a sixth.
const functionShare = 0.04

// Counted counts own data in the data folder dir.
func Counted(ctx context.Context, dir, data string) (a Amount, err error) {
	src, err := open.Source(dir, data, open.Options{})
	if err != nil {
		return a, err
	}
	enough := errors.New("enough")
	a.Classes = len(src.Classes())
	functions := 0
	err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		if p == dataset.Test {
			return nil
		}
		if p == dataset.Train {
			a.Reviews++
		}
		if a.Words < FewWords {
			a.Texts++
			for w := range strings.FieldsSeq(r.Text) {
				a.Words++
				if function[strings.ToLower(w)] {
					functions++
				}
			}
		}
		if a.Words >= FewWords && a.Reviews >= FewReviews {
			return enough
		}
		return nil
	})
	a.English = float64(functions) >= functionShare*float64(a.Words)
	if errors.Is(err, enough) {
		err = nil
	}
	return a, err
}
