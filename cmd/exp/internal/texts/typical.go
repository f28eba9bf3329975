package texts

import (
	"strings"

	"imdbexp/runs"
)

// Typical returns the first test review of a handy length that the model gets
// right, else the first that it gets right, else the first.
func Typical(rows []runs.Prediction) *runs.Prediction {
	var right, any *runs.Prediction
	for i := range rows {
		r := &rows[i]
		if any == nil {
			any = r
		}
		if r.Predicted != r.Label {
			continue
		}
		if right == nil {
			right = r
		}
		if Handy(r.Words) {
			return r
		}
	}
	if right != nil {
		return right
	}
	return any
}

// Handy reports whether a review of n words is long enough to tell something and
// short enough to be read.
func Handy(n int) bool { return n >= 40 && n <= 120 }

// TypicalPair returns the first pair of six to ten words that is translated right,
// else the first.
func TypicalPair(list []runs.Translation) runs.Translation {
	for _, t := range list {
		if n := len(strings.Fields(t.Source)); t.Beam == t.Reference && n >= 6 && n <= 10 {
			return t
		}
	}
	return list[0]
}
