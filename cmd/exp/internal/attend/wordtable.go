package attend

import (
	"fmt"
	"math"
	"strconv"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
)

// wordTable lists the words, or n-grams, that count most. The terminal and the page show
// the same table; the page adds a bar after the third column.
type wordTable struct {
	Title   string
	Columns []term.Column
	Rows    []wordRow
}

type wordRow struct {
	Cells   []wordCell
	Bar     string // width in em
	Against bool   // it speaks against the class
}

type wordCell struct {
	Text    string
	Unknown bool // a word without a vector
}

// newWordTable returns a table of at most n rows, nil if there is nothing to list.
func newWordTable(classes []string, v *infer.View, n int) *wordTable {
	var t *wordTable
	switch {
	case v.Explained != nil:
		t = termTable(classes, v.Explained, n)
	case v.Wordless() || v.Attended == nil:
		return nil
	default:
		t = weightTable(classes, v, n)
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
func weightTable(classes []string, v *infer.View, n int) *wordTable {
	t := &wordTable{Title: "the words with the largest weights", Columns: []term.Column{right("", 0), {Head: "word"}, right("weight", 0)}}
	if v.Signed {
		t.Title = "the words with the largest scores"
		t.Columns = []term.Column{right("", 0), {Head: "word"}, right("score", 0), {Head: "speaks"}}
	}
	if v.Within != nil {
		t.Columns = append(t.Columns, right("±", 1))
	}
	t.Columns = append(t.Columns, right("× equal", 2), right("place", 3))
	slipped := v.Slipped(n)
	if slipped != nil {
		t.Columns = append(t.Columns, term.Column{Head: "slip.rank_words shows"}, right("weight", 1))
	}
	word := func(i int) wordCell { return wordCell{v.Words[i].Word, !v.Known[i]} }
	for rank, i := range v.Top(n) {
		row := wordRow{Cells: cells(strconv.Itoa(rank+1), "", weight(v, i)), Bar: decimal(20 * math.Abs(v.Ratio[i]) / float64(len(v.Ratio)))}
		row.Cells[1] = word(i)
		if v.Signed {
			row.Cells, row.Against = append(row.Cells, wordCell{Text: speaks(classes, v.Class, v.Ratio[i])}), v.Ratio[i] < 0
		}
		if v.Within != nil {
			row.Cells = append(row.Cells, cells(fmt.Sprintf("%.2g", v.Within[i]))...)
		}
		row.Cells = append(row.Cells, cells(fmt.Sprintf("%.1f", math.Abs(v.Ratio[i])), strconv.Itoa(i+1))...)
		if slipped != nil {
			row.Cells = append(row.Cells, word(slipped[rank]), wordCell{Text: format.Share(v.Weights[slipped[rank]])})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// termTable lists the n-grams with the largest contributions.
func termTable(classes []string, e *counts.Explanation, n int) *wordTable {
	t := &wordTable{Title: "the n-grams that count most", Columns: []term.Column{right("", 0), {Head: "n-gram"}, right("contribution", 0), {Head: "pushes"}, right("times", 2)}}
	above, below := toward(classes, e)
	list := e.Terms[:min(n, len(e.Terms))]
	for i, x := range list {
		to := above
		if x.Sum < 0 {
			to = below
		}
		t.Rows = append(t.Rows, wordRow{Cells: cells(strconv.Itoa(i+1), x.Name, logits(x.Sum), to, strconv.Itoa(len(x.Places))),
			Against: x.Sum < 0, Bar: decimal(12 * math.Abs(x.Sum) / max(math.Abs(list[0].Sum), 1e-30))})
	}
	return t
}

func cells(texts ...string) (out []wordCell) {
	for _, t := range texts {
		out = append(out, wordCell{Text: t})
	}
	return out
}

// print prints the table on a terminal.
func (t *wordTable) print(io *term.IO) error {
	table := term.NewTable(t.Columns...)
	for _, row := range t.Rows {
		var list []string
		for _, c := range row.Cells {
			text := term.Visible(c.Text)
			if c.Unknown {
				text = io.Underline(text)
			}
			list = append(list, text)
		}
		table.Add(list...)
	}
	return table.Text(io, "  ")
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
	return []string{"shown: what the n-grams of each word say, each divided evenly among its words", total}
}

// logits prints a part of a score.
func logits(x float64) string { return format.Fixed(x, 3) }
