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

// ParseAnswers reads the predictions of another program: tab-separated values with
// a header that names at least the columns review and predicted. label may be
// missing, or empty where a review's is unknown; any other column is passed over.
// predictions.tsv of a run is such a file. file is the name that errors give, with
// the line.
func ParseAnswers(file string, b []byte) (*Answers, error) {
	a := &Answers{Source: filepath.Base(file), asked: asked{at: map[string]int{}}}
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
				return nil, bad("want a header with the columns %s and %s, separated by tabs (and %s where it is known); it has %s",
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
		switch earlier, twice := a.at[id]; {
		case id == "":
			return nil, bad("the review has no name")
		case twice:
			return nil, bad("review %s is there twice, as the %s before", id, ordinal(earlier+1))
		case fields[predicted] == "":
			return nil, bad("review %s has nothing predicted", id)
		}
		a.at[id] = len(a.reviews)
		a.add(id, class(label), class(predicted))
	}
	if len(a.reviews) == 0 {
		return nil, fmt.Errorf("%s holds no predictions: want a header and a line for each review", file)
	}
	return a, nil
}
