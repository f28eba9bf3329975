package dataset

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/internal/dice"
)

// Hold takes a fraction of each class's reviews out of train for validation. Which ones
// depends on the seed and on the names of the reviews. Reviews with the same words stay on one
// side, whatever their labels. Both parts keep the order of train. It fails for a fraction
// below 0 or from 1 on, and if a class has only one text.
func Hold(train *Encoded, fraction float64, seed uint64) (rest, valid *Encoded, err error) {
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

// HoldTogether is Hold with a range of each class by name. The seed chooses where it starts; it
// continues at the first review after the last. IMDB's reviews of one film have neighbouring
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
	if !(fraction >= 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("a validation split of %v of the training reviews: choose at least 0 and less than 1", fraction)
	}
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
	equal := e.Equal()
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

// Equal returns for each review that has the same words as others all reviews with these words,
// itself included; nil for the others.
func (e *Encoded) Equal() map[int][]int {
	byHash := make(map[uint64][]int, e.Len())
	seed := maphash.MakeSeed()
	var buf []byte
	for b := range e.Labels {
		buf = buf[:0]
		for _, id := range e.Words(b) {
			buf = binary.NativeEndian.AppendUint32(buf, uint32(id))
		}
		h := maphash.Bytes(seed, buf)
		byHash[h] = append(byHash[h], b)
	}
	groups := map[int][]int{}
	for _, reviews := range byHash {
		for len(reviews) > 1 {
			same, rest := []int{}, []int{}
			for _, b := range reviews {
				if slices.Equal(e.Words(b), e.Words(reviews[0])) {
					same = append(same, b)
				} else {
					rest = append(rest, b) // another text with the same hash
				}
			}
			for _, b := range same {
				if len(same) > 1 {
					groups[b] = same
				}
			}
			reviews = rest
		}
	}
	return groups
}

// Draw returns n reviews in their order, of each class its part, by their names and the
// seed. A larger number of them has all of a smaller one's.
func Draw(train *Encoded, n int, seed uint64) (*Encoded, error) {
	if n < 0 || n > train.Len() {
		return nil, fmt.Errorf("%d of %d reviews to train on cannot be drawn", n, train.Len())
	}
	type keyed struct {
		key    uint64
		review int
		place  float64 // in its class, from 0 to 1
	}
	classes := map[int32][]*keyed{}
	all := make([]*keyed, train.Len())
	for b, l := range train.Labels {
		all[b] = &keyed{key: dice.Hash(seed, dice.Name("draw"), dice.Name(train.Names[b])), review: b}
		classes[l] = append(classes[l], all[b])
	}
	byKey := func(a, b *keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.review, b.review)) }
	for _, reviews := range classes {
		slices.SortFunc(reviews, byKey)
		for i, r := range reviews {
			r.place = (float64(i) + 0.5) / float64(len(reviews))
		}
	}
	slices.SortFunc(all, func(a, b *keyed) int { return cmp.Or(cmp.Compare(a.place, b.place), byKey(a, b)) })
	drawn := make([]bool, train.Len())
	for _, r := range all[:n] {
		drawn[r.review] = true
	}
	return train.where(func(b int) bool { return drawn[b] }), nil
}

// Named returns the reviews that have a name of other's, which is e encoded otherwise; nil for nil.
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
	out := &Encoded{
		IDs: make([]int32, 0, words), Offsets: make([]int, 1, reviews+1),
		Labels: make([]int32, 0, reviews), Names: make([]string, 0, reviews),
	}
	if e.Targets != nil {
		out.Targets = e.Targets.where(keep)
	}
	for b := range e.Labels {
		if keep(b) {
			out.IDs = append(out.IDs, e.Words(b)...)
			out.Offsets = append(out.Offsets, len(out.IDs))
			out.Labels = append(out.Labels, e.Labels[b])
			out.Names = append(out.Names, e.Names[b])
		}
	}
	return out
}

// Redraw returns the corpus with its labelled reviews divided into train and test again, by a seed
// and by their names. Of each class about the same share is in test as before, at least one review.
// Reviews with the same words stay on one side. Reviews keep their names, which say on which side
// they were; vocabulary and digest stay, because the reviews are the same. Key changes, so that word
// vectors of the corpus are trained again. It fails unless the test part was held out of the
// user's own reviews: the numbers in the names then occur once in both parts together.
func (c *Corpus) Redraw(seed uint64) (*Corpus, error) {
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
	all := &Encoded{Offsets: []int{0}}
	for _, s := range []*Split{&c.Test, &c.Train} { // in the order of their names
		for b := range s.Labels {
			all.IDs = append(all.IDs, s.Words(b)...)
			all.Offsets = append(all.Offsets, len(all.IDs))
		}
		all.Labels, all.Names = append(all.Labels, s.Labels...), append(all.Names, s.Names...)
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
	out := &Corpus{Head: c.Head, Extra: c.Extra}
	out.Key += fmt.Sprintf("-test%d", seed)
	for part, e := range []*Encoded{Train: train, Test: test} {
		*out.Part(Part(part)) = Split{IDs: e.IDs, Offsets: e.Offsets, Labels: e.Labels, Names: e.Names}
	}
	return out, nil
}
