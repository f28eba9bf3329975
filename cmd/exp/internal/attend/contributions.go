package attend

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
)

// toward says to which class what is above 0 pushes, and to which what is below.
func toward(classes []string, e *counts.Explanation) (above, below string) {
	above = "to " + classes[e.For]
	if e.Against < 0 {
		return above, "away from " + classes[e.For]
	}
	return above, "to " + classes[e.Against]
}

// directions is toward of texts that are shown together, nil for a model that explains
// nothing: where each has its own class, of the class that was predicted.
func directions(classes []string, list []subject) []string {
	var out []string
	for _, s := range list {
		e := s.view.Explained
		if e == nil {
			continue
		}
		above, below := toward(classes, e)
		if out != nil && out[0] != above {
			return []string{"to the predicted class", "away from it"}
		}
		out = []string{above, below}
	}
	return out
}

// explained says in lines what the score of a text is made of.
func explained(classes []string, v *infer.View) []string {
	e := v.Explained
	above, below := toward(classes, e)
	plus, minus := 0.0, 0.0
	for _, t := range e.Terms {
		if t.Sum > 0 {
			plus += t.Sum
		} else {
			minus += t.Sum
		}
	}
	total := fmt.Sprintf("%s: %s %s, %s %s; bias %s: in all %s, which is %s", format.Counted(len(e.Terms), "n-gram"),
		logits(plus), above, logits(minus), below, logits(e.Bias), logits(e.Score()), map[bool]string{true: above, false: below}[e.Score() > 0])
	return []string{"shown: what the n-grams of each word say, each divided evenly among its words", total}
}

// logits shows a part of a score with its sign.
func logits(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', 3, 64), "-", "−", 1)
}

// contributions prints the n-grams that say most.
func contributions(io *term.IO, classes []string, v *infer.View, n int) error {
	if len(v.Explained.Terms) == 0 {
		return nil
	}
	above, below := toward(classes, v.Explained)
	t := term.NewTable(term.Column{Head: "", Right: true}, term.Column{Head: "n-gram"}, term.Column{Head: "contribution", Right: true},
		term.Column{Head: "pushes"}, term.Column{Head: "times", Right: true, Optional: 2})
	for i, x := range v.Explained.Terms[:min(n, len(v.Explained.Terms))] {
		to := above
		if x.Sum < 0 {
			to = below
		}
		t.Add(strconv.Itoa(i+1), term.Visible(x.Name), logits(x.Sum), to, strconv.Itoa(len(x.Places)))
	}
	return t.Text(io, "  ")
}
