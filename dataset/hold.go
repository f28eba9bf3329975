package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/internal/dice"
)

// HoldOut takes a fraction of each class's reviews out of train for validation. Which ones
// depends on the seed and on the names of the reviews. Reviews with the same words stay on one
// side, whatever their labels. Both parts keep the order of train. It fails if a class has only one text.
func HoldOut(train *Encoded, fraction float64, seed uint64) (rest, valid *Encoded, err error) {
	return train.hold(fraction, train.drawn("hold", seed))
}

// drawn returns a random order of reviews, by a seed and their names.
func (e *Encoded) drawn(what string, seed uint64) func(reviews []int) []int {
	keys := make([]uint64, e.Len())
	for b, name := range e.Names {
		keys[b] = dice.Hash(seed, dice.Name(what), dice.Name(name))
	}
	return func(reviews []int) []int {
		slices.SortFunc(reviews, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
		return reviews
	}
}

// HoldTogether is HoldOut with a contiguous range of each class by name. The seed chooses where
// it starts; it continues at the first review after the last. IMDB's reviews of one film have neighbouring
// numbers, so only reviews at the ends of a range have others of their film on the other side,
// as those of its test set have none in train (Maas et al. 2011).
func HoldTogether(train *Encoded, fraction float64, seed uint64) (rest, valid *Encoded, err error) {
	return train.hold(fraction, func(reviews []int) []int {
		slices.SortFunc(reviews, func(a, b int) int { return cmp.Or(cmp.Compare(train.Names[a], train.Names[b]), cmp.Compare(a, b)) })
		first := int(dice.Hash(seed, dice.Name("hold together")) % uint64(len(reviews)))
		return slices.Concat(reviews[first:], reviews[:first])
	})
}

// hold takes a fraction of each class's reviews out.
func (e *Encoded) hold(fraction float64, order func(reviews []int) []int) (rest, valid *Encoded, err error) {
	rest, valid, err = e.take(order, func(reviews int) (int, error) {
		n := rounded(fraction, reviews)
		if n == reviews {
			return 0, fmt.Errorf("it would take all %d of a class: choose a smaller data.valid", n)
		}
		return n, nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("a validation split of %v of the training reviews: %w", fraction, err)
	}
	return rest, valid, nil
}

// rounded returns how many of n reviews a fraction is.
func rounded(fraction float64, n int) int {
	return int(float64(fraction*float64(n)) + 0.5) // rounded before the sum: no fusing
}

// take takes a number of each class's reviews out, in the order given by order. Equal reviews
// count for the class of the first. A text that occurs more often than there are reviews still
// to be taken is passed over.
func (e *Encoded) take(order func(reviews []int) []int, size func(reviews int) (int, error)) (rest, taken *Encoded, err error) {
	equal := e.Duplicates()
	classes := map[int32][]int{}
	for b, l := range e.Labels {
		if group := equal[b]; group != nil {
			l = e.Labels[group[0]]
		}
		classes[l] = append(classes[l], b)
	}
	held := make([]bool, e.Len())
	for _, reviews := range classes {
		n, err := size(len(reviews))
		if err != nil {
			return nil, nil, err
		}
		left := n
		for _, b := range order(reviews) {
			group := equal[b]
			if group == nil {
				group = []int{b}
			}
			if held[b] || len(group) > left {
				continue
			}
			left -= len(group)
			for _, same := range group {
				held[same] = true
			}
		}
		if n > 0 && left == n {
			return nil, nil, fmt.Errorf("equal texts stay together, and each text of a class of %d reviews occurs more often than the %d to be held out: remove repeated texts, or hold out more",
				len(reviews), n)
		}
	}
	return e.where(func(b int) bool { return !held[b] }), e.where(func(b int) bool { return held[b] }), nil
}

// Duplicates returns for each review that has the same words as others all reviews with these words,
// itself included; nil for the others.
func (e *Encoded) Duplicates() map[int][]int {
	byWords := make(map[[sha256.Size]byte][]int, e.Len())
	var buf []byte
	for b := range e.Labels {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, e.Words(b)) // numbers have a fixed size
		key := sha256.Sum256(buf)
		byWords[key] = append(byWords[key], b)
	}
	groups := map[int][]int{}
	for _, same := range byWords {
		for _, b := range same {
			if len(same) > 1 {
				groups[b] = same
			}
		}
	}
	return groups
}

// Sample returns a stratified sample of n reviews in their order. It depends on their names and
// the seed only; a larger sample contains the smaller one.
func Sample(train *Encoded, n int, seed uint64) *Encoded {
	order, classes, all := train.drawn("draw", seed), map[int32][]int{}, make([]int, train.Len())
	for b, l := range train.Labels {
		all[b] = b
		classes[l] = append(classes[l], b)
	}
	place := make([]float64, train.Len()) // in its class, from 0 to 1
	for _, reviews := range classes {
		for i, b := range order(reviews) {
			place[b] = (float64(i) + 0.5) / float64(len(reviews))
		}
	}
	slices.SortStableFunc(order(all), func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	drawn := make([]bool, train.Len())
	for _, b := range all[:n] {
		drawn[b] = true
	}
	return train.where(func(b int) bool { return drawn[b] })
}

// Named returns the reviews whose names are in other, another encoding of the data; nil for nil.
func (e *Encoded) Named(other *Encoded) *Encoded {
	if other == nil {
		return nil
	}
	names := make(map[string]bool, other.Len())
	for _, name := range other.Names {
		names[name] = true
	}
	return e.where(func(b int) bool { return names[e.Names[b]] })
}

// where copies the reviews for which keep returns true.
func (e *Encoded) where(keep func(b int) bool) *Encoded {
	reviews, words := 0, 0
	for b := range e.Labels {
		if keep(b) {
			reviews++
			words += len(e.Words(b))
		}
	}
	out := NewEncoded(reviews, words)
	if e.Targets != nil {
		out.Targets = e.Targets.where(keep)
	}
	for b := range e.Labels {
		if keep(b) {
			out.Add(e.Words(b), e.Labels[b], e.Names[b])
		}
	}
	return out
}

// Resplit returns the corpus with its labelled reviews divided into train and test again, by a seed
// and by their names. Of each class about the same share is in test as before, at least one review.
// Reviews with the same words stay on one side. Reviews keep their names, which say on which side
// they were; vocabulary and digest stay, because the reviews are the same. Key changes, so that word
// vectors of the corpus are trained again. It fails unless the test part was held out of the
// user's own reviews: the numbers in the names then occur once in both parts together.
func (c *Corpus) Resplit(seed uint64) (*Corpus, error) {
	seen := map[int]bool{}
	for part := Train; part <= Test; part++ {
		for _, name := range c.Part(part).Names {
			number, own := strings.CutPrefix(name, part.String()+"/")
			n, err := strconv.Atoi(number)
			if !own || err != nil || seen[n] {
				return nil, errors.New("its test part was given, so it is not divided again: that takes data that were added without a test part")
			}
			seen[n] = true
		}
	}
	all := NewEncoded(0, 0)
	for _, s := range []*Split{&c.Test, &c.Train} { // in the order of their names
		for b := range s.Labels {
			all.Add(s.Words(b), s.Labels[b], s.Names[b])
		}
	}
	share := float64(c.Test.Len()) / float64(all.Len())
	train, test, err := all.take(all.drawn("test", seed), func(reviews int) (int, error) {
		if reviews < 2 {
			return 0, errors.New("a class has a single text of its own")
		}
		return min(max(rounded(share, reviews), 1), reviews-1), nil
	})
	if err != nil {
		return nil, err
	}
	out := &Corpus{Head: c.Head, Train: *train, Test: *test, Extra: c.Extra}
	out.Key += fmt.Sprintf("-test%d", seed)
	return out, nil
}
