package infer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/internal/guard"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// Batch is the result of a model for the texts of one Run. Texts count from 0, in the order of Run's
// list; so do layers, heads and words. Its numbers are the network's, and the next Run overwrites
// them: copy those that you keep.
type Batch struct {
	model *Model
	place []int // [B] index of text i in the packed batch, which is sorted by falling length
	words []int // [B] number of words of text i
	front int   // words that the model adds before each text: 1 with [CLS]

	seen    []int       // [B+1] offsets of the packed texts for attention, with [CLS] and padding
	entropy []float32   // [B] of the packed texts, nil without attention
	gets    [][]float32 // [L][H, N] the attention that each word receives; nil before it is computed
}

// Len returns B, the number of texts.
func (b *Batch) Len() int { return len(b.place) }

// Words returns the number of words of text i.
func (b *Batch) Words(i int) int { return b.words[i] }

// P returns the probability of each class [C].
func (b *Batch) P(i int) []float32 { return b.model.network.Probs().Row(b.place[i]) }

// Logits returns the logits [C].
func (b *Batch) Logits(i int) []float32 { return b.model.network.Logits().Row(b.place[i]) }

// Class returns the most probable class; of equally probable ones the first.
func (b *Batch) Class(i int) int {
	return simd.ArgMax(b.P(i))
}

// Entropy returns the entropy of the attention in nats, for self-attention the mean over layers and
// heads; NaN for a model without attention.
func (b *Batch) Entropy(i int) float32 {
	if b.entropy == nil {
		return float32(math.NaN())
	}
	return b.entropy[b.place[i]]
}

// Prediction returns the prediction for text i, without its name and label. Its numbers are copies.
func (b *Batch) Prediction(i int) runs.Prediction {
	return runs.Prediction{Label: dataset.Unlabelled, Predicted: b.Class(i), Words: b.words[i], Entropy: b.Entropy(i), P: slices.Clone(b.P(i))}
}

// Answer is the prediction for one of many texts, without its name and label.
type Answer struct {
	runs.Prediction
	Known   int // words with a vector, of those that the model read
	Unknown int // words without a vector, also those that oov=masked omits
}

// answer copies the prediction for text k of a batch. unknown counts its words without a vector.
func (b *Batch) answer(k int, rows []int32, unknown int) Answer {
	a := Answer{Prediction: b.Prediction(k), Unknown: unknown}
	for _, r := range rows {
		if r != embedding.OOVRow {
			a.Known++
		}
	}
	return a
}

// Limits of a batch of Each: the number of texts, as in evaluation, and of words, so that many long
// texts do not need much memory. A single text may be longer.
const (
	batchTexts = 128
	batchWords = 1 << 15
)

// BatchDependent reports whether the prediction for a text depends on the other texts of its batch.
func (m *Model) BatchDependent() bool { return m.mixes }

// BatchSize returns the number of reviews of a batch in training.
func (m *Model) BatchSize() int { return m.settings.Batch }

// Each predicts any number of texts, in batches of bounded size. It calls f once for
// each text: text i of the list is text k of the batch b. Texts of similar length share a batch, so
// the calls are not in the order of the list; a model that is BatchDependent gets batches of
// BatchSize consecutive texts.
func (m *Model) Each(ctx context.Context, list []Encoded, f func(i int, b *Batch, k int) error) error {
	texts := make([]Encoded, 0, min(len(list), batchTexts))
	for _, group := range m.Cut(list) {
		if err := ctx.Err(); err != nil {
			return err
		}
		texts = texts[:0]
		for k, i := range group {
			texts = append(texts, list[i])
			if m.longest > 0 && texts[k].Name == "" {
				texts[k].Name = fmt.Sprintf("text %d", i+1)
			}
		}
		b, err := m.Run(texts)
		if err != nil {
			return err
		}
		for k, i := range group {
			if err := f(i, b, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// Cut returns the indices of the texts of each batch of Each.
func (m *Model) Cut(list []Encoded) [][]int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	var out [][]int
	if m.BatchDependent() {
		return slices.AppendSeq(out, slices.Chunk(order, m.settings.Batch))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(list[j].Rows), len(list[i].Rows)) })
	for len(order) > 0 {
		n, words := 0, 0
		for n < min(len(order), batchTexts) && (n == 0 || words+len(list[order[n]].Rows) <= batchWords) {
			words += len(list[order[n]].Rows)
			n++
		}
		out = append(out, order[:n])
		order = order[n:]
	}
	return out
}

// Input is a text of a stream. Stream returns the other fields unchanged.
type Input struct {
	ID, Label string
	Text      string
	Where     string // file and line, for messages
}

// Source yields texts until there are no more, or yield returns an error.
type Source func(ctx context.Context, yield func(Input) error) error

// atOnce is the max number of texts of a stream that are answered together.
const atOnce = 256

// Stream answers a stream of texts with constant memory. It calls answer in the caller's goroutine
// with several texts at a time, in order; with fewer when the source pauses. If whole is above 0,
// their number is a multiple of whole, except for the last texts.
func Stream(ctx context.Context, whole int, read Source, answer func([]Input) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The caller does not wait for the reader, which may wait for input and not notice that ctx has
	// ended. Its error comes last, when all the texts that it has yielded are answered.
	texts, ended := make(chan Input, 64), make(chan error, 1)
	go func() {
		defer close(texts)
		ended <- guard.Call(func() error {
			return read(ctx, func(t Input) error {
				select {
				case texts <- t:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			})
		})
	}()
	limit := atOnce
	if whole > 0 {
		limit = (atOnce + whole - 1) / whole * whole
	}
	var list []Input
	for more := true; more; {
		var idle <-chan time.Time
		if len(list) > 0 && whole == 0 {
			idle = time.After(50 * time.Millisecond)
		}
		var t Input
		select {
		case <-ctx.Done():
		case <-idle:
		case t, more = <-texts:
			if more {
				list = append(list, t)
			}
			if more && len(list) < limit {
				continue
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if len(list) > 0 {
			if err := answer(list); err != nil {
				return err
			}
		}
		list = nil
	}
	return <-ended // texts is closed, so the error is there
}

// Stream asks the model about one text after another, as Stream does; workers goroutines split
// the texts into words. write gets some texts with their answers at a time.
//
// Answers do not depend on workers, nor on when a text comes. A model that is BatchDependent
// gets batches of BatchSize texts in the order in which they come; the last may be smaller.
func (m *Model) Stream(ctx context.Context, workers int, read Source, write func([]Input, []Answer) error) error {
	whole := 0
	if m.BatchDependent() {
		whole = m.settings.Batch
	}
	return Stream(ctx, whole, read, func(texts []Input) error {
		rows, lacks := make([]Encoded, len(texts)), make([]int, len(texts))
		var split errgroup.Group
		split.SetLimit(max(1, workers))
		for i, t := range texts {
			split.Go(guard.Func(func() error {
				rows[i].Name = t.Where
				rows[i].Rows, lacks[i] = m.counted(make([]int32, 0, len(t.Text)/4), t.Text) // a word every five to six bytes
				return nil
			}))
		}
		if err := split.Wait(); err != nil {
			return err
		}
		answers := make([]Answer, len(texts))
		err := m.Each(ctx, rows, func(i int, batch *Batch, k int) error {
			answers[i] = batch.answer(k, rows[i].Rows, lacks[i])
			return nil
		})
		if err != nil {
			return err
		}
		return write(texts, answers)
	})
}
