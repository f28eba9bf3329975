package sample

import (
	"slices"
	"strings"

	"imdbexp/dataset/probe"
)

// MinimalPairs returns test reviews as minimal pairs. In the set swapped, the words that decide the
// label, and no others, have changed to words of the other polarity. In the set negated, "not" stands
// before the one word that decides.
func MinimalPairs() *probe.Probe {
	_, test := Reviews()
	p := &probe.Probe{Name: "sample"}
	add := func(set string, r Review, words []string) {
		labels := Source{}.Classes()
		p.Pairs = append(p.Pairs, probe.Pair{
			ID: set + "/" + strings.TrimPrefix(r.ID, "test/"), Set: set,
			Original:  probe.Text{Label: labels[r.Label], Text: r.Text},
			Rewritten: probe.Text{Label: labels[1-r.Label], Text: strings.Join(words, " ")},
		})
	}
	for _, r := range test {
		words := strings.Fields(r.Text)
		for k, i := range r.Verdict {
			words[i] = r.opposite[k]
			if before := words[max(0, i-1)]; before == "a" || before == "an" {
				words[i-1] = article(words[i])
			}
		}
		add("swapped", r, words)
	}
	for _, r := range test {
		words := strings.Fields(r.Text)
		if i := r.Verdict[0]; len(r.Verdict) == 1 && i > 0 && (words[i-1] == "is" || words[i-1] == "are") {
			add("negated", r, slices.Insert(words, i, "not"))
		}
	}
	return p
}

// article returns the article before a word.
func article(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an"
	}
	return "a"
}
