package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/report"
)

// place names where a row meets a column.
func place(row, col []string) string { return fmt.Sprintf("%q%q", row, col) }

func addValues(list [][]string, values []string) [][]string {
	if slices.ContainsFunc(list, func(o []string) bool { return slices.Equal(o, values) }) {
		return list
	}
	return append(list, values)
}

// sortValues orders rows or columns: numbers by size, experiments and models as
// the published report has them, variants as its table.
func sortValues(values [][]string, keys []string, list []*report.Result) {
	slices.SortStableFunc(values, func(a, b []string) int {
		for i, k := range keys {
			if c := compareValues(k, a[i], b[i], list); c != 0 {
				return c
			}
		}
		return 0
	})
}

func compareValues(key, a, b string, list []*report.Result) int {
	rank := func(v string) int { return 0 }
	switch key {
	case "experiment", "model":
		rank = func(v string) int {
			least := math.MaxInt
			for _, r := range list {
				if keyValue(r, key) == v {
					least = min(least, r.Rank)
				}
			}
			return least
		}
	case "variant":
		rank = func(v string) int {
			return (slices.Index(report.Variants, v) + len(report.Variants) + 1) % (len(report.Variants) + 1)
		}
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
