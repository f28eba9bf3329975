package vectors

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of the suggestions for an unknown word. A suggestion also has at most one change
// for each three letters.
const (
	maxSimilar = 3
	maxChanges = 2
)

// similar returns words spelt like an unknown one: those that differ in case only, else
// those with the fewest letters added, removed or replaced. Ties keep the order of the
// table, which in most sets is by frequency.
func (s *Space) similar(word string) []string {
	type candidate struct {
		changes int
		word    string
	}
	small := strings.ToLower(word)
	a := []rune(small)
	row := make([]int, len(a)+1)
	var found []candidate
	for _, w := range s.v.Words {
		if d := len(w) - len(small); d > 4*maxChanges || d < -4*maxChanges { // a rune takes up to 4 bytes
			continue
		}
		changes := 0
		if w != small {
			changes = max(1, changesBetween(a, []rune(strings.ToLower(w)), row))
		}
		if changes <= min(maxChanges, len(a)/3) {
			found = append(found, candidate{changes, w})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.changes, b.changes) })
	var words []string
	for _, c := range found[:min(maxSimilar, len(found))] {
		if c.changes > 0 && found[0].changes == 0 {
			break // only the case is wrong
		}
		words = append(words, c.word)
	}
	return words
}

// changesBetween is Levenshtein's distance, or something larger than maxChanges.
// row has room for a and one more.
func changesBetween(a, b []rune, row []int) int {
	if d := len(a) - len(b); d > maxChanges || d < -maxChanges {
		return maxChanges + 1
	}
	for i := range row {
		row[i] = i
	}
	for j, r := range b {
		diagonal, smallest := row[0], j+1
		row[0] = j + 1
		for i := range a {
			cost := diagonal
			if a[i] != r {
				cost++
			}
			diagonal = row[i+1]
			row[i+1] = min(cost, row[i]+1, row[i+1]+1)
			smallest = min(smallest, row[i+1])
		}
		if smallest > maxChanges {
			break
		}
	}
	return row[len(a)]
}
