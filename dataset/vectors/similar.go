package vectors

import (
	"cmp"
	"slices"
	"strings"
)

// At most this many words are suggested in place of an unknown one, each at
// most this many changes away, and one for each three letters.
const (
	maxSimilar = 3
	maxChanges = 2
)

// similar returns words that are spelt like one that is not there: the same in
// small letters, then those with fewest letters added, left out or replaced. Of
// equal ones the first in the table, which in most sets are the most frequent.
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
			break // only the letters' case was wrong
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
		diagonal, least := row[0], j+1
		row[0] = j + 1
		for i := range a {
			cost := diagonal
			if a[i] != r {
				cost++
			}
			diagonal = row[i+1]
			row[i+1] = min(cost, row[i]+1, row[i+1]+1)
			least = min(least, row[i+1])
		}
		if least > maxChanges {
			break
		}
	}
	return row[len(a)]
}
