package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"imdbexp/dataset/token"
	"imdbexp/internal/guard"
)

// Build reads a corpus from its source into memory and splits it into words on all
// cores. The result does not depend on the number of cores or on the order of the
// reviews.
func Build(ctx context.Context, name string, src Source, tok token.Tokenizer) (*Corpus, error) {
	workers := make([]*splitter, runtime.GOMAXPROCS(0))
	queue := make(chan sourced, 64*len(workers))
	g, gctx := errgroup.WithContext(ctx)
	for i := range workers {
		w := &splitter{tok: tok, classes: len(src.Classes()), index: map[string]int32{}, number: i}
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
	if err := g.Wait(); err != nil {
		return nil, err
	}
	c, err := assemble(name, src, tok, workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src, err)
	}
	return c, nil
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
	number  int // of the splitter
	reviews [Parts][]splitReview
}

// splitReview is a review split into words by a splitter.
type splitReview struct {
	name   string
	digest [sha256.Size]byte
	ids    []int32 // words as numbers of the splitter
	label  int32
	worker int32
}

func (w *splitter) run(ctx context.Context, queue <-chan sourced) error {
	var buf []byte
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
			return fmt.Errorf("review %s has the label %d: want 0 to %d, or %d in the part without labels", r.ID, r.Label, w.classes-1, Unlabelled)
		}
		ids = ids[:0]
		w.tok.Split(r.Text, add)
		w.reviews[r.part] = append(w.reviews[r.part], splitReview{r.ID, reviewDigest(&buf, r.part, r.Review), slices.Clone(ids), int32(r.Label), int32(w.number)})
	}
	return nil
}

// assemble joins the results of the workers: one vocabulary, reviews sorted by name.
func assemble(name string, src Source, tok token.Tokenizer, workers []*splitter) (*Corpus, error) {
	classes := src.Classes()
	only, _ := src.(interface{ TestOnly() bool })
	testOnly := only != nil && only.TestOnly()
	vocab, places := mergeVocab(workers)
	c := &Corpus{Head: Head{Name: name, Tokenizer: tok.Name, Classes: classes, Vocab: vocab}}
	sum := sha256.New()
	sum.Write(digestHead(classes))
	for part := range Parts {
		var reviews []splitReview
		words := 0
		for _, w := range workers {
			reviews, w.reviews[part] = append(reviews, w.reviews[part]...), nil
		}
		for _, r := range reviews {
			words += len(r.ids)
		}
		slices.SortFunc(reviews, func(a, b splitReview) int { return strings.Compare(a.name, b.name) })
		split, n := NewEncoded(len(reviews), words), make([]int, len(classes))
		for i, r := range reviews {
			if i > 0 && r.name == reviews[i-1].name {
				return nil, fmt.Errorf("review %s occurs twice: remove one", r.name)
			}
			if r.label != Unlabelled {
				n[r.label]++
			}
			sum.Write(r.digest[:])
			for k, id := range r.ids {
				r.ids[k] = places[r.worker][id]
			}
			split.Add(r.ids, r.label, r.name)
			reviews[i].ids = nil
		}
		for l, class := range classes {
			if part != Extra && n[l] == 0 && !(part == Train && testOnly) { // nothing can be trained, or tested
				return nil, fmt.Errorf("no %s reviews of class %q: the data set is not whole", part, class)
			}
		}
		*c.Part(part) = *split
	}
	c.Digest = hex.EncodeToString(sum.Sum(nil))
	c.Key = KeyOf(c.Digest, tok)
	return c, nil
}

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
