package own

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/token"
)

// groups calls f for each text with the labelled reviews that have it.
func (g *gatherer) groups(f func(reviews []int32)) {
	if g.order == nil { // in the order of their keys, so equal texts are neighbours
		for i, r := range g.reviews {
			if r.part != dataset.Extra {
				g.order = append(g.order, int32(i))
			}
		}
		slices.SortFunc(g.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g.reviews[a].key, g.reviews[b].key), cmp.Compare(a, b))
		})
	}
	for order := g.order; len(order) > 0; {
		n := 1
		for n < len(order) && g.reviews[order[n]].key == g.reviews[order[0]].key {
			n++
		}
		f(order[:n])
		order = order[n:]
	}
}

// holdOut moves a fraction of each class from train to test. A text is on one
// side with all its repetitions, of whatever label; it counts for the first of
// its classes. Which texts are held out depends on nothing but themselves and
// the number of others.
func (g *gatherer) holdOut(fraction float64) error {
	ranks := g.ranks()
	classOf := func(reviews []int32) int {
		first := len(ranks)
		for _, r := range reviews {
			first = min(first, ranks[g.reviews[r].label])
		}
		return first
	}
	texts := make([]int, len(g.labels))
	g.groups(func(reviews []int32) { texts[classOf(reviews)]++ })
	for c, n := range texts {
		if n < 2 {
			few := []string{"no text", "a single text"}[n]
			class := g.classes()[c]
			return fmt.Errorf("class %s has %s of its own (%s), and two are needed to hold one out for testing: add more, read it as another class by --rename %s=CLASS, or give a test part by --test",
				stream.Quote(class), few, g.first[slices.Index(g.labels, class)], class)
		}
		texts[c] = min(max(int(float64(fraction*float64(n))+0.5), 1), n-1) // neither none nor all
	}
	g.groups(func(reviews []int32) {
		c := classOf(reviews)
		if texts[c]--; texts[c] < 0 {
			return
		}
		for _, r := range reviews {
			g.reviews[r].part = dataset.Test
		}
	})
	return nil
}

// ranks returns for each of the labels its place among the classes.
func (g *gatherer) ranks() []int {
	sorted, ranks := g.classes(), make([]int, len(g.labels))
	for i, l := range g.labels {
		ranks[i] = slices.Index(sorted, l)
	}
	return ranks
}

// classes returns the labels in the order of the classes: by value if all are numbers, else by
// their bytes, which puts neg before pos.
func (g *gatherer) classes() []string {
	numbers := !slices.ContainsFunc(g.labels, notNumber)
	return slices.SortedFunc(slices.Values(g.labels), func(a, b string) int {
		x, _ := dataset.LabelNumber(a)
		y, _ := dataset.LabelNumber(b)
		if numbers && x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
}

// checkClasses checks that there are at least two classes, each with reviews to train and to test on.
func (g *gatherer) checkClasses() error {
	if len(g.labels) < minClasses {
		return fmt.Errorf("all reviews have the label %s, and at least %d classes are needed", stream.Listed(slices.Clone(g.labels)), minClasses)
	}
	counts := make([][2]int, len(g.labels))
	for _, r := range g.reviews {
		if r.part != dataset.Extra {
			counts[r.label][r.part]++
		}
	}
	var all error
	for i, n := range counts {
		for p, what := range [2]string{"to train on and none to test on", "to test on and none to train on"} {
			if n[1-p] == 0 {
				all = errors.Join(all, fmt.Errorf("class %s has %s %s, the first in %s: both parts need the same classes", stream.Quote(g.labels[i]), reviews(n[p]), what, g.first[i]))
			}
		}
	}
	return all
}

func reviews(n int) string {
	if n == 1 {
		return "1 review"
	}
	return fmt.Sprint(n, " reviews")
}

// count counts reviews by class and part, and repeated texts.
func (g *gatherer) count(a *Reviews) {
	a.Classes = g.classes()
	a.Counts = [2][]int{make([]int, len(a.Classes)), make([]int, len(a.Classes))}
	ranks := g.ranks()
	for _, r := range g.reviews {
		if r.empty {
			a.Empty++
		}
		if r.part != dataset.Extra {
			a.Counts[r.part][ranks[r.label]]++
		}
	}
	g.groups(func(reviews []int32) {
		first := g.reviews[reviews[0]]
		if first.empty {
			return
		}
		a.Repeated += len(reviews) - 1
		train := 0
		for _, r := range reviews {
			if g.reviews[r].part == dataset.Train {
				train++
			}
			if g.reviews[r].label != first.label {
				a.Contradicting++
			}
		}
		if train > 0 {
			a.Shared += len(reviews) - train
		}
	})
}

// A model sees words. Texts with the same words are the same text to it, whatever their case,
// markup, quotes, white space and composition of letters. Such texts share a key, and so a side of
// the split. A text without such a twin has the key of its bytes, so its side never changes.

// remember keeps a review with the keys of its bytes and of its words.
func (g *gatherer) remember(x gathered, text string) {
	x.key = textKey(text)
	x.words, x.empty = wordsKey(text)
	g.reviews = append(g.reviews, x)
}

// joinTwins gives texts with the same words, if they differ, the key of their words.
func (g *gatherer) joinTwins() {
	first, differ := map[uint64]uint64{}, map[uint64]bool{} // by words: the key of the first text
	for _, r := range g.reviews {
		if key, met := first[r.words]; r.part != dataset.Extra && !met {
			first[r.words] = r.key
		} else if r.part != dataset.Extra && key != r.key {
			differ[r.words] = true
		}
	}
	for i := range g.reviews {
		if r := &g.reviews[i]; r.part != dataset.Extra && differ[r.words] {
			r.key = r.words
		}
	}
}

// wordsKey returns a hash of the words of a text. A text is empty if no word can be seen: it is
// blank, markup, or characters such as U+200B.
func wordsKey(text string) (key uint64, empty bool) {
	h := sha256.New()
	io.WriteString(h, "imdbexp words 1")
	empty = true
	token.PTB.Split(text, func(word []byte, _, _ int) {
		h.Write([]byte{0})
		h.Write(word)
		empty = empty && !bytes.ContainsFunc(word, visible)
	})
	return binary.BigEndian.Uint64(h.Sum(nil)), empty
}

// visible reports whether a character has a shape.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !dataset.Invisible(r)
}

// textKey is a hash of a text. It orders texts at random, in the same way in every version.
func textKey(text string) uint64 {
	h := sha256.New()
	io.WriteString(h, "imdbexp test split 1\n")
	io.WriteString(h, text)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
