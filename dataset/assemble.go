package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset/token"
)

// assemble joins what the workers did: one vocabulary, reviews by name.
func assemble(name string, classes []string, tok token.Tokenizer, workers []*splitter) (*Corpus, error) {
	var all []splitReview
	for i, w := range workers {
		for j := range w.done {
			w.done[j].worker = int32(i)
		}
		all = append(all, w.done...)
		w.done = nil
	}
	slices.SortFunc(all, func(a, b splitReview) int {
		return cmp.Or(cmp.Compare(a.part, b.part), strings.Compare(a.name, b.name))
	})
	vocab, toGlobal, err := mergeVocab(workers)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Name: name, Tokenizer: tok.Name(), Classes: classes, Vocab: vocab}
	sum := newDigest(classes)
	for i, r := range all {
		if i > 0 && r.part == all[i-1].part && r.name == all[i-1].name {
			return nil, fmt.Errorf("review %s is there twice: remove one", r.name)
		}
		sum.add(r.digest)
	}
	c.Digest = sum.String()
	c.Key = KeyOf(c.Digest, tok)
	for p := range Parts {
		n, _ := slices.BinarySearchFunc(all, p+1, func(r splitReview, p Part) int { return cmp.Compare(r.part, p) })
		*c.Part(p) = joinSplit(all[:n], toGlobal)
		all = all[n:]
	}
	return c, c.check()
}

// mergeVocab makes one vocabulary of all workers' and tells for each worker
// which ID each of its numbers became.
func mergeVocab(workers []*splitter) (*Vocab, [][]int32, error) {
	index, words, counts := workers[0].index, workers[0].words, workers[0].counts
	joined := make([][]int32, len(workers))
	for i, w := range workers {
		joined[i] = make([]int32, len(w.words))
		for j, s := range w.words {
			if i == 0 {
				joined[i][j] = int32(j)
				continue
			}
			id, ok := index[s]
			if !ok {
				if len(words) == math.MaxInt32 {
					return nil, nil, errors.New("more different words than can be numbered")
				}
				id = int32(len(words))
				index[s] = id
				words, counts = append(words, s), append(counts, 0)
			}
			counts[id] += w.counts[j]
			joined[i][j] = id
		}
	}
	vocab, place := SortVocab(words, counts)
	for _, ids := range joined {
		for j, id := range ids {
			ids[j] = place[id]
		}
	}
	return vocab, joined, nil
}

func joinSplit(reviews []splitReview, toGlobal [][]int32) Split {
	s := Split{
		Offsets: make([]int, 1, len(reviews)+1),
		Labels:  make([]int32, len(reviews)),
		Names:   make([]string, len(reviews)),
	}
	n := 0
	for i, r := range reviews {
		n += len(r.ids)
		s.Offsets = append(s.Offsets, n)
		s.Labels[i], s.Names[i] = r.label, r.name
	}
	s.IDs = make([]int32, n)
	for i, r := range reviews {
		to, out := toGlobal[r.worker], s.IDs[s.Offsets[i]:]
		for j, id := range r.ids {
			out[j] = to[id]
		}
	}
	return s
}
