package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"imdbexp/dataset/token"
)

// Sorted is a corpus sorted by the names of its reviews, see Sort.
type Sorted struct {
	Head
	pile   *pile
	places [][]int32 // for each splitter: the ID of each of its numbers
	ids    []int32
}

// Placed is one of its reviews.
type Placed struct {
	Name  string
	Label int32
	Words int
	IDs   []int32 // [Words] valid until the next review; nil unless words are requested
}

// assemble joins the results of the workers: one vocabulary, reviews sorted by name.
func assemble(name string, src Source, tok token.Tokenizer, workers []*splitter, p *pile) (*Sorted, error) {
	classes := src.Classes()
	only, _ := src.(interface{ TestOnly() bool })
	testOnly := only != nil && only.TestOnly()
	vocab, places, err := mergeVocab(workers)
	if err != nil {
		return nil, err
	}
	p.sort()
	s := &Sorted{Head: Head{Name: name, Tokenizer: tok.Name(), Classes: classes, Vocab: vocab}, pile: p, places: places}
	sum := newDigest(classes)
	for part := range Parts {
		n := make([]int, len(classes))
		last, any := "", false
		err := p.each(part, true, func(r *splitReview) error {
			if any && r.name == last {
				return fmt.Errorf("review %s is there twice: remove one", r.name)
			}
			last, any = r.name, true
			if r.label != Unlabelled {
				n[r.label]++
			}
			sum.Write(r.data[:sha256.Size])
			return nil
		})
		if err != nil {
			return nil, err
		}
		for l, class := range classes {
			if part != Extra && n[l] == 0 && !(part == Train && testOnly) { // nothing can be trained, or tested
				return nil, fmt.Errorf("no %s reviews of class %q: the data set is not whole", part, class)
			}
		}
	}
	s.Digest = sum.String()
	s.Key = KeyOf(s.Digest, tok)
	return s, nil
}

// Reviews returns how many reviews a part has.
func (s *Sorted) Reviews(p Part) int { return len(s.pile.reviews[p]) }

// Words returns how many words they have in all.
func (s *Sorted) Words(p Part) int { return s.pile.words[p] }

// InMemory reports whether no review is in a scratch file.
func (s *Sorted) InMemory() bool { return s.pile.file == nil }

// Each calls f for each review of a part. It is much faster without the words.
func (s *Sorted) Each(p Part, words bool, f func(r Placed) error) error {
	return s.pile.each(p, words, func(r *splitReview) error {
		x := Placed{Name: r.name, Label: int32(r.label), Words: int(r.words)}
		if words {
			to := s.places[r.worker]
			s.ids = s.ids[:0]
			for b := r.data[sha256.Size:]; len(b) > 0; b = b[4:] {
				s.ids = append(s.ids, to[binary.LittleEndian.Uint32(b)])
			}
			x.IDs = s.ids
		}
		return f(x)
	})
}

// Load returns the whole corpus in memory and closes s.
func (s *Sorted) Load() (*Corpus, error) {
	c := &Corpus{Head: s.Head}
	for p := range Parts {
		b := s.Reviews(p)
		split := Split{
			IDs:     make([]int32, 0, s.Words(p)),
			Offsets: make([]int, 1, b+1),
			Labels:  make([]int32, 0, b),
			Names:   make([]string, 0, b),
		}
		err := s.Each(p, true, func(r Placed) error {
			split.IDs = append(split.IDs, r.IDs...)
			split.Offsets = append(split.Offsets, len(split.IDs))
			split.Labels, split.Names = append(split.Labels, r.Label), append(split.Names, r.Name)
			return nil
		})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		*c.Part(p) = split
	}
	return c, s.Close()
}

// Close removes the scratch file.
func (s *Sorted) Close() error { return s.pile.close() }

// mergeVocab joins the vocabularies of all workers. It also returns, for each worker, the
// word ID of each of its numbers.
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
