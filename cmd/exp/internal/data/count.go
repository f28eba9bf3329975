package data

import (
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/format"
)

// counts are the numbers of one split of a corpus, or of one side of sentence pairs.
type counts struct {
	part    string
	texts   int
	labels  []int // [C] reviews of each class
	words   int
	types   int    // different words
	lengths [3]int // words of a text: the median, 95 % (nearest rank), and the largest
	last    string // empty reviews, which count as one word without vector; of pairs the share of words that train lacks
}

// countSplit counts a split of a corpus with that many classes and different words.
func countSplit(part string, s *dataset.Split, classes, vocab int) counts {
	d := counts{part: part, texts: s.Len(), labels: make([]int, classes), words: len(s.IDs), types: len(seen(vocab, s))}
	lengths, empty := make([]int, s.Len()), 0
	for b, l := range s.Labels {
		if l >= 0 {
			d.labels[l]++
		}
		if lengths[b] = len(s.Words(b)); lengths[b] == 0 {
			empty++
		}
	}
	slices.Sort(lengths)
	for i, percent := range []int{50, 95, 100} {
		d.lengths[i] = lengths[(percent*len(lengths)+99)/100-1]
	}
	d.last = format.Thousands(empty)
	return d
}

// seen returns the different words of splits.
func seen(vocab int, splits ...*dataset.Split) (ids []int32) {
	known := make([]bool, vocab)
	for _, s := range splits {
		for _, id := range s.IDs {
			if !known[id] {
				known[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// countCorpus counts the splits of a corpus.
func countCorpus(c *dataset.Corpus) (out []counts) {
	for p := range dataset.Parts {
		if s := c.Part(p); s.Len() > 0 {
			out = append(out, countSplit(p.String(), s, len(c.Classes), len(c.Vocab.Words)))
		}
	}
	return out
}

// withoutVector returns which shares of the words of train and test, and of their different words,
// have no vector.
func withoutVector(c *dataset.Corpus, v *vectors.Set) [3]float64 {
	index := dataset.Index(v.Words)
	missing := func(id int32) bool {
		_, known := index[c.Vocab.Words[id]]
		return !known
	}
	types := seen(len(c.Vocab.Words), &c.Train, &c.Test)
	return [3]float64{share(c.Train.IDs, missing), share(c.Test.IDs, missing), share(types, missing)}
}

// share returns the share of words for which is reports true.
func share(ids []int32, is func(id int32) bool) float64 {
	n := 0
	for _, id := range ids {
		if is(id) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(ids)))
}

// countSide counts one side of sentence pairs.
func countSide(part dataset.Part, side string, e *dataset.Encoded, words *pairs.Words) counts {
	s := &dataset.Split{IDs: e.IDs, Offsets: e.Offsets, Labels: e.Labels, Names: e.Names}
	c := countSplit(part.String()+" "+side, s, 1, words.Len())
	c.last = format.Percent(share(e.IDs, func(id int32) bool { return id == pairs.UnknownID }))
	return c
}
