package dataset

import (
	"cmp"
	"fmt"
	"slices"

	"imdbexp/dataset/internal/dice"
)

// Hold takes a fraction of each class's reviews out of train for validation.
// Which ones depends on the seed and the names of the reviews, so a review stays
// on its side when other reviews are added or removed. Both parts keep that order.
// It fails for a fraction below 0, and from 1 on.
func Hold(train *Encoded, fraction float64, seed uint64) (rest, valid *Encoded, err error) {
	keys := make([]uint64, train.Len())
	for b, name := range train.Names {
		keys[b] = dice.Hash(seed, dice.Name("hold"), dice.Name(name))
	}
	return train.hold(fraction, func(reviews []int) []int {
		slices.SortFunc(reviews, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
		return reviews
	})
}

// HoldTogether is Hold of reviews that stand together by their names, one stretch of each
// class, which the seed chooses and which goes on from the first behind the last. IMDB's
// reviews of one film have numbers near each other: only at the ends of a stretch have they
// others of their film on the other side, as those of its test have none in train (Maas et
// al. 2011).
func HoldTogether(train *Encoded, fraction float64, seed uint64) (rest, valid *Encoded, err error) {
	return train.hold(fraction, func(reviews []int) []int {
		slices.SortFunc(reviews, func(a, b int) int { return cmp.Or(cmp.Compare(train.Names[a], train.Names[b]), cmp.Compare(a, b)) })
		first := int(dice.Hash(seed, dice.Name("hold together")) % uint64(len(reviews)))
		return slices.Concat(reviews[first:], reviews[:first])
	})
}

// hold takes a fraction of each class's reviews out: the first in the order that order puts
// them in.
func (e *Encoded) hold(fraction float64, order func(reviews []int) []int) (rest, valid *Encoded, err error) {
	if !(fraction >= 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("a validation split of %v of the training reviews: choose at least 0 and less than 1", fraction)
	}
	classes := map[int32][]int{}
	for b, l := range e.Labels {
		classes[l] = append(classes[l], b)
	}
	held := make([]bool, e.Len())
	for _, reviews := range classes {
		n := int(float64(fraction*float64(len(reviews))) + 0.5) // rounded before the sum: no fusing
		if n == len(reviews) {
			return nil, nil, fmt.Errorf("a validation split of %v of the training reviews would take all %d of a class: choose a smaller data.valid", fraction, n)
		}
		for _, b := range order(reviews)[:n] {
			held[b] = true
		}
	}
	return e.where(func(b int) bool { return !held[b] }), e.where(func(b int) bool { return held[b] }), nil
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
