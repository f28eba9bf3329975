// Package describe says what a data set looks like in numbers.
package describe

import (
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
)

// Description is what a corpus looks like in numbers.
type Description struct {
	Name, Digest, Tokenizer string
	Classes                 []string
	Types                   int // different words in the whole corpus
	Splits                  []Split
	Coverage                []Coverage
}

// Split describes one split.
type Split struct {
	Part    dataset.Part
	Reviews int
	Empty   int   // reviews without any word, which count as one word without vector
	Labels  []int // [C] reviews of each class
	Words   int
	Types   int
	Mean    float64   // words of a review
	Lengths Quantiles // words of a review
}

// Quantiles are order statistics, each one of the values (nearest rank).
type Quantiles struct{ Min, P5, P25, P50, P75, P95, P99, Max int }

// Coverage says how much of a corpus a set of vectors knows.
type Coverage struct {
	Vectors  string
	Dim      int
	OOVTypes float64 // share of the different words of train and test without a vector
	OOVTrain float64 // share of the running words of train without a vector
	OOVTest  float64 // of test
}

// Corpus counts. Open the corpus with open.Options.Extra to have its
// unlabelled reviews counted.
func Corpus(c *dataset.Corpus, vectors ...*vectors.Set) Description {
	d := Description{Name: c.Name, Digest: c.Digest, Tokenizer: c.Tokenizer, Classes: c.Classes, Types: c.Vocab.Len()}
	for p := range dataset.Parts {
		if s := c.Part(p); s.Len() > 0 {
			d.Splits = append(d.Splits, describeSplit(s, p, len(c.Classes), c.Vocab.Len()))
		}
	}
	for _, v := range vectors {
		d.Coverage = append(d.Coverage, cover(c, v))
	}
	return d
}

func describeSplit(s *dataset.Split, p dataset.Part, classes, words int) Split {
	d := Split{Part: p, Reviews: s.Len(), Labels: make([]int, classes), Words: len(s.IDs)}
	lengths := make([]int, s.Len())
	for b, l := range s.Labels {
		if l >= 0 {
			d.Labels[l]++
		}
		lengths[b] = len(s.Words(b))
		if lengths[b] == 0 {
			d.Empty++
		}
	}
	seen := make([]bool, words)
	for _, id := range s.IDs {
		if !seen[id] {
			seen[id] = true
			d.Types++
		}
	}
	d.Mean = float64(len(s.IDs)) / float64(s.Len())
	slices.Sort(lengths)
	at := func(percent int) int { return lengths[max(0, (percent*len(lengths)+99)/100-1)] }
	d.Lengths = Quantiles{lengths[0], at(5), at(25), at(50), at(75), at(95), at(99), lengths[len(lengths)-1]}
	return d
}

func cover(c *dataset.Corpus, v *vectors.Set) Coverage {
	known := make([]bool, c.Vocab.Len())
	index := dataset.Index(v.Words)
	for id, w := range c.Vocab.Words() {
		_, known[id] = index[w]
	}
	counts := func(s *dataset.Split, seen []bool) float64 {
		oov := 0
		for _, id := range s.IDs {
			if !known[id] {
				oov++
			}
			seen[id] = true
		}
		return share(oov, len(s.IDs))
	}
	seen := make([]bool, c.Vocab.Len())
	out := Coverage{Vectors: v.Name, Dim: v.Dim, OOVTrain: counts(&c.Train, seen), OOVTest: counts(&c.Test, seen)}
	types, oov := 0, 0
	for id, s := range seen {
		if s {
			types++
			if !known[id] {
				oov++
			}
		}
	}
	out.OOVTypes = share(oov, types)
	return out
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
