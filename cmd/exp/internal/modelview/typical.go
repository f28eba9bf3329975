package modelview

import (
	"strings"

	"imdbexp/runs"
)

// Typical returns the first test review of a readable length that the model predicts
// right, else the first right one, else the first.
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
		if Readable(r.Words) {
			return r
		}
	}
	if right != nil {
		return right
	}
	return any
}

// Readable reports whether a review of n words is neither too short nor too long to show.
func Readable(n int) bool { return n >= 40 && n <= 120 }

// TypicalPair returns the first pair of six to ten words with the right translation, else
// the first.
func TypicalPair(list []runs.Translation) runs.Translation {
	for _, t := range list {
		if n := len(strings.Fields(t.Source)); t.Beam == t.Reference && n >= 6 && n <= 10 {
			return t
		}
	}
	return list[0]
}
