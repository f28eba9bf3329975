package task

import (
	"context"
	"errors"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/open"
)

// Amount is the amount of training data. Counting stops at the limits below.
type Amount struct {
	Reviews int // with labels
	Classes int
	Words   int  // separated by blanks, with those of unlabelled reviews
	Texts   int  // with these words
	English bool // the language of GloVe
}

// Short reports whether the texts are sentences rather than reviews.
func (a Amount) Short() bool { return a.Words < shortText*a.Texts }

// Below these limits a user's own data is small. docs/vectors.md and docs/data.md have the
// measurements.
const (
	FewWords   = 250_000
	FewReviews = 20_000
	shortText  = 60 // words on average; the measured texts have 16 and 230
)

// function has words that are frequent in English texts only.
var function = map[string]bool{"the": true, "and": true, "of": true, "to": true, "this": true, "it": true}

// functionShare is their minimum share in English; in the reviews of IMDB it is a sixth.
const functionShare = 0.04

// Counted counts a user's own data in the data folder dir.
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
