package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"imdbexp/dataset/token"
	"imdbexp/internal/guard"
)

// Build reads a corpus from its source into memory and splits it into words on all
// cores. The result does not depend on the number of cores or on the order of the
// reviews.
func Build(ctx context.Context, name string, src Source, tok token.Tokenizer) (*Corpus, error) {
	s, err := Sort(ctx, name, src, tok, nil)
	if err != nil {
		return nil, err
	}
	return s.Load()
}

// Sort is Build for a corpus whose words may take more than memory. Those that do not fit go to
// a file made by scratch. If scratch is nil or fails, everything stays in memory.
func Sort(ctx context.Context, name string, src Source, tok token.Tokenizer, scratch Scratch) (*Sorted, error) {
	workers := make([]*splitter, runtime.GOMAXPROCS(0))
	queue := make(chan sourced, 64*len(workers))
	p := &pile{scratch: scratch}
	g, gctx := errgroup.WithContext(ctx)
	for i := range workers {
		w := &splitter{tok: tok, classes: len(src.Classes()), index: map[string]int32{}, number: int16(i), pile: p}
		workers[i] = w
		g.Go(guard.Func(func() error { return w.run(gctx, queue) }))
	}
	g.Go(guard.Func(func() error {
		defer close(queue)
		return src.Reviews(gctx, func(p Part, r Review) error {
			select {
			case queue <- sourced{r, p}:
				return nil
			case <-gctx.Done():
				return context.Cause(gctx)
			}
		})
	}))
	err := g.Wait()
	if err == nil {
		s, assembleErr := assemble(name, src, tok, workers, p)
		if assembleErr == nil {
			return s, nil
		}
		err = fmt.Errorf("%s: %w", src, assembleErr)
	}
	return nil, errors.Join(err, p.close())
}

// sourced is a review and the split it belongs to.
type sourced struct {
	Review
	part Part
}

// splitter is one worker. It numbers words in the order of their first occurrence.
type splitter struct {
	tok     token.Tokenizer
	classes int
	index   map[string]int32
	words   []string
	counts  []int64
	number  int16 // of the splitter
	pile    *pile
}

// splitReview is a review split into words by a splitter.
type splitReview struct {
	name   string
	data   []byte // digest, and words as numbers of the splitter; nil if they are in the file of the pile
	at     int64  // where they are there
	words  int32
	label  int16
	worker int16
	part   Part
}

func (w *splitter) run(ctx context.Context, queue <-chan sourced) error {
	var buf, data []byte
	var ids []int32
	add := func(word []byte, _, _ int) {
		id, ok := w.index[string(word)]
		if !ok {
			id = int32(len(w.words))
			s := string(word)
			w.index[s], w.words, w.counts = id, append(w.words, s), append(w.counts, 0)
		}
		w.counts[id]++
		ids = append(ids, id)
	}
	for r := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.Label < Unlabelled || r.Label >= w.classes || (r.Label == Unlabelled) != (r.part == Extra) {
			return fmt.Errorf("review %s has the label %d, which no class has", r.ID, r.Label)
		}
		ids = ids[:0]
		w.tok.Split(r.Text, add)
		digest := reviewDigest(&buf, r.part, r.Review)
		data, _ = binary.Append(append(data[:0], digest[:]...), binary.LittleEndian, ids) // numbers have a fixed size
		w.pile.add(splitReview{name: r.ID, words: int32(len(ids)), label: int16(r.Label), worker: w.number, part: r.part}, data)
	}
	return nil
}

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
	IDs   []int32 // [Words] valid until the next review; nil unless words are requested
}

// assemble joins the results of the workers: one vocabulary, reviews sorted by name.
func assemble(name string, src Source, tok token.Tokenizer, workers []*splitter, p *pile) (*Sorted, error) {
	classes := src.Classes()
	only, _ := src.(interface{ TestOnly() bool })
	testOnly := only != nil && only.TestOnly()
	vocab, places := mergeVocab(workers)
	for _, reviews := range p.reviews {
		slices.SortFunc(reviews, func(a, b splitReview) int { return strings.Compare(a.name, b.name) })
	}
	s := &Sorted{Head: Head{Name: name, Tokenizer: tok.Name, Classes: classes, Vocab: vocab}, pile: p, places: places}
	sum := sha256.New()
	sum.Write(digestHead(classes))
	for part := range Parts {
		n := make([]int, len(classes))
		last, any := "", false
		err := p.each(part, func(r *splitReview) error {
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
	s.Digest = hex.EncodeToString(sum.Sum(nil))
	s.Key = KeyOf(s.Digest, tok)
	return s, nil
}

// Reviews returns how many reviews a part has.
func (s *Sorted) Reviews(p Part) int { return len(s.pile.reviews[p]) }

// Words returns how many words they have in all.
func (s *Sorted) Words(p Part) int { return s.pile.words[p] }

// InMemory reports whether no review is in a scratch file.
func (s *Sorted) InMemory() bool { return s.pile.file == nil }

// Each calls f for each review of a part.
func (s *Sorted) Each(p Part, f func(r Placed) error) error {
	return s.pile.each(p, func(r *splitReview) error {
		to := s.places[r.worker]
		s.ids = s.ids[:0]
		for b := r.data[sha256.Size:]; len(b) > 0; b = b[4:] {
			s.ids = append(s.ids, to[binary.LittleEndian.Uint32(b)])
		}
		return f(Placed{r.name, int32(r.label), s.ids})
	})
}

// Load returns the whole corpus in memory and closes s.
func (s *Sorted) Load() (*Corpus, error) {
	c := &Corpus{Head: s.Head}
	for p := range Parts {
		split := NewEncoded(s.Reviews(p), s.Words(p))
		err := s.Each(p, func(r Placed) error {
			split.Add(r.IDs, r.Label, r.Name)
			return nil
		})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		*c.Part(p) = *split
	}
	return c, s.Close()
}

// Close removes the scratch file.
func (s *Sorted) Close() error { return s.pile.close() }

// mergeVocab joins the vocabularies of all workers. It also returns, for each worker, the
// word ID of each of its numbers.
func mergeVocab(workers []*splitter) (*Vocab, [][]int32) {
	index, words, counts := map[string]int32{}, []string(nil), []int64(nil)
	joined := make([][]int32, len(workers))
	for i, w := range workers {
		joined[i] = make([]int32, len(w.words))
		for j, s := range w.words {
			id, ok := index[s]
			if !ok {
				id = int32(len(words))
				index[s], words, counts = id, append(words, s), append(counts, 0)
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
	return vocab, joined
}

// Scratch makes a temporary file that is removed when it is closed.
type Scratch func() (ScratchFile, error)

// ScratchFile is written sequentially and then read at any offset.
type ScratchFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// pile collects split reviews from all splitters. When their data take more than pileBytes, those of
// further reviews go to a file. About 70 bytes a review stay in memory.
type pile struct {
	scratch Scratch // nil: everything stays in memory

	mu      sync.Mutex
	reviews [Parts][]splitReview
	words   [Parts]int
	bytes   int // of data in memory
	file    ScratchFile
	end     int64 // of the file
}

var pileBytes = 64 << 20 // a variable for tests

// add takes a review with its data.
func (p *pile) add(r splitReview, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+len(data) > pileBytes && p.spill(data) {
		r.at = p.end
		p.end += int64(len(data))
	} else {
		r.data = slices.Clone(data)
		p.bytes += len(data)
	}
	p.words[r.part] += int(r.words)
	p.reviews[r.part] = append(p.reviews[r.part], r)
}

// size returns the size of a review's data.
func (r *splitReview) size() int64 { return sha256.Size + 4*int64(r.words) }

// spill appends data to the file. If the disk is full or read-only, it keeps the rest in memory.
func (p *pile) spill(data []byte) bool {
	var err error
	if p.file == nil && p.scratch != nil {
		p.file, err = p.scratch()
	}
	if err == nil && p.scratch != nil {
		_, err = p.file.Write(data)
	}
	if err != nil {
		p.scratch = nil
	}
	return p.scratch != nil
}

// each calls f for the reviews of a part in order. Their data are valid until f returns.
func (p *pile) each(part Part, f func(r *splitReview) error) error {
	var buf []byte
	for _, r := range p.reviews[part] {
		if r.data == nil {
			buf = slices.Grow(buf[:0], int(r.size()))[:r.size()]
			if _, err := p.file.ReadAt(buf, r.at); err != nil {
				return err
			}
			r.data = buf
		}
		if err := f(&r); err != nil {
			return err
		}
	}
	return nil
}

func (p *pile) close() error {
	if p.file == nil {
		return nil
	}
	defer func() { p.file = nil }()
	return p.file.Close()
}
