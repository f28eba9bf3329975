package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

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
