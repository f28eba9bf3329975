package compare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/runs"
)

// Columns of a file of predictions; runs.Predictions has these and more.
const (
	reviewColumn    = "review"
	labelColumn     = "label"
	predictedColumn = "predicted"
)

// ParseAnswers reads the predictions of another program: tab-separated values with a header that
// names at least the columns review and predicted. The column label may be missing, and empty for
// an unknown label; other columns are ignored. predictions.tsv of a run has this format. Errors
// give file and the line.
func ParseAnswers(file string, b []byte) (*Answers, error) {
	a := &Answers{Source: filepath.Base(file), questions: &questions{at: map[string]int{}}}
	var columns []string
	var review, label, predicted int
	names := map[string]string{} // one copy of each class
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		bad := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, n, fmt.Sprintf(format, args...))
		}
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if columns == nil {
			columns = fields
			columns[0] = strings.TrimPrefix(columns[0], "\ufeff")
			review, label, predicted = slices.Index(columns, reviewColumn), slices.Index(columns, labelColumn), slices.Index(columns, predictedColumn)
			if review < 0 || predicted < 0 {
				return nil, bad("the header needs the columns %s and %s, separated by tabs (and %s if known); it has %s",
					reviewColumn, predictedColumn, labelColumn, strings.Join(columns, ", "))
			}
			continue
		}
		if len(fields) == 1 && fields[0] == "" {
			continue
		}
		if len(fields) != len(columns) {
			return nil, bad("%d columns, the header has %d", len(fields), len(columns))
		}
		class := func(column int) string {
			if column < 0 {
				return ""
			}
			c := runs.Unescape(fields[column])
			if _, known := names[c]; !known {
				names[c] = strings.Clone(c)
			}
			return names[c]
		}
		id := runs.Unescape(fields[review])
		switch _, twice := a.at[id]; {
		case id == "":
			return nil, bad("the review has no name")
		case twice:
			return nil, bad("review %s is there twice", id)
		case fields[predicted] == "":
			return nil, bad("review %s has nothing predicted", id)
		}
		a.at[id] = len(a.reviews)
		a.add(id, class(label), class(predicted))
	}
	if len(a.reviews) == 0 {
		return nil, fmt.Errorf("%s holds no predictions: it needs a header and a line for each review", file)
	}
	return a, nil
}
