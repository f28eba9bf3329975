package sample

import "slices"

// Polarity returns +1 or −1 for a word that can decide a review, 0 for others.
// It is the polarity of the word alone; "not" reverses it.
func Polarity(word string) int {
	for _, g := range load().Genres {
		switch {
		case slices.Contains(g.Good, word):
			return +1
		case slices.Contains(g.Bad, word):
			return -1
		}
	}
	return 0
}
