package attend

import (
	"fmt"
	"math"
	"strconv"

	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
)

// wordTable lists the words, or n-grams, that count most, in at most n rows; nil for an empty table.
func wordTable(io *term.IO, classes []string, v *infer.View, n int) *term.Table {
	var t *term.Table
	switch {
	case v.Explained != nil:
		t = termTable(classes, v.Explained, n)
	case v.Wordless() || v.Attended == nil:
		return nil
	default:
		t = weightTable(io, classes, v, n)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

// weightTable lists the words with the largest weights or scores. For a run with
// slip.rank_words it also shows the words that the original took for them.
func weightTable(io *term.IO, classes []string, v *infer.View, n int) *term.Table {
	t := term.NewTable(right("", 0), term.Column{Head: "word"}, right("weight", 0))
	t.Caption = "the words with the largest weights"
	if v.Signed {
		t.Caption = "the words with the largest scores"
		t.Columns = append(t.Columns[:2], right("score", 0), term.Column{Head: "speaks"})
	}
	if v.Within != nil {
		t.Columns = append(t.Columns, right("±", 1))
	}
	t.Columns = append(t.Columns, right("× equal", 2), right("place", 3))
	slipped := v.Slipped(n)
	if slipped != nil {
		t.Columns = append(t.Columns, term.Column{Head: "slip.rank_words shows"}, right("weight", 1))
	}
	word := func(i int) string {
		text := term.Visible(v.Words[i].Word)
		if !v.Known[i] {
			text = io.Underline(text)
		}
		return text
	}
	for rank, i := range v.Top(n) {
		row := []string{strconv.Itoa(rank + 1), word(i), weight(v, i)}
		if v.Signed {
			row = append(row, speaks(classes, v.Class, v.Ratio[i]))
		}
		if v.Within != nil {
			row = append(row, fmt.Sprintf("%.2g", v.Within[i]))
		}
		row = append(row, fmt.Sprintf("%.1f", math.Abs(v.Ratio[i])), strconv.Itoa(i+1))
		if slipped != nil {
			row = append(row, word(slipped[rank]), format.Share(v.Weights[slipped[rank]]))
		}
		t.Add(row...)
	}
	return t
}

// termTable lists the n-grams with the largest contributions.
func termTable(classes []string, e *counts.Explanation, n int) *term.Table {
	t := term.NewTable(right("", 0), term.Column{Head: "n-gram"}, right("contribution", 0), term.Column{Head: "pushes"}, right("times", 2))
	t.Caption = "the n-grams that count most"
	for i, x := range e.Terms[:min(n, len(e.Terms))] {
		to, against := toward(classes, e)
		if x.Sum < 0 {
			to = against
		}
		t.Add(strconv.Itoa(i+1), term.Visible(x.Name), logits(x.Sum), to, strconv.Itoa(len(x.Places)))
	}
	return t
}

// toward returns the directions of positive and negative contributions.
func toward(classes []string, e *counts.Explanation) (above, below string) {
	above = "to " + classes[e.For]
	if e.Against < 0 {
		return above, "away from " + classes[e.For]
	}
	return above, "to " + classes[e.Against]
}

// directions returns toward for texts that are shown together, nil if the model does not
// count n-grams. If the texts have different classes it speaks of the predicted class.
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

// explained describes in lines how the score of a text adds up.
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
	return []string{"shown: the contributions of the n-grams, each divided evenly among its words", total}
}

// logits prints a part of a score.
func logits(x float64) string { return format.Fixed(x, 3) }
