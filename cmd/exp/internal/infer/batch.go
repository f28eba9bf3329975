package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// Batch is what a model says about the texts of one Run. Texts count from 0, in
// the order in which Run was given them; so do layers, heads and words. Its numbers
// are the network's own, which the next Run overwrites: copy what is to stay.
type Batch struct {
	model *Model
	place []int // [B] of text i in the packed batch, where texts stand by falling length
	words []int // [B] of text i
	front int   // words that the model itself puts before each text: 1 with [CLS]

	seen    []int       // [B+1] offsets of the packed texts as attention sees them, with [CLS] and padding
	entropy []float32   // [B] of the packed texts, nil without attention
	gets    [][]float32 // [L][H, N] what each word gets, of the layers that were asked for
}

// Run asks the model about many texts in one pass of the network. The texts of one
// call share the memory of one batch; Each cuts any number of them into batches.
//
// For ordinary models each text gets the same bits in any company. Those of a
// model that is BatchDependent (slip.pad, slip.batch_slot_norm) depend on all the
// texts of the batch and their order; only batches cut as in training, of BatchSize
// texts, mean what they meant there.
func (m *Model) Run(list []Encoded) (*Batch, error) {
	if err := m.check(list); err != nil {
		return nil, err
	}
	b := &Batch{model: m, place: make([]int, len(list)), words: make([]int, len(list))}
	for i, e := range list {
		b.words[i] = len(e.Rows)
	}
	m.pack(list, b.place)
	in, err := models.Inputs{Table: m.rows()}, error(nil)
	if in.Scores, err = m.score(list); err != nil {
		return nil, err
	}
	if m.network.NeedsMeans() {
		if err := m.average(list, in.Table); err != nil {
			return nil, err
		}
		in.Means = m.means
	}
	if err := m.network.Run(&m.batch, in, 0); err != nil {
		return nil, err
	}
	b.seen, b.entropy = m.batch.Offsets, m.network.Entropies()
	if m.network.Heads() != nil {
		b.seen = m.network.HeadWords()
		b.front = b.seen[1] - m.batch.Offsets[1] // the longest text stands first and is never padded
	}
	return b, nil
}

// Ask is Run of a single text, which errors call "the text".
func (m *Model) Ask(e Encoded) (*Batch, error) {
	b, err := m.Run([]Encoded{e})
	return b, called(err, func(e *LongError) { e.Name = "the text" })
}

// check reports texts that the network cannot take: none at all, one without a row,
// or one that is too long, as a LongError.
func (m *Model) check(list []Encoded) error {
	if len(list) == 0 {
		return errors.New("no texts to ask the model about")
	}
	for i, e := range list {
		if len(e.Rows) == 0 {
			return fmt.Errorf("text %d has no words: not one row", i+1)
		}
		if m.longest > 0 && len(e.Rows) > m.longest {
			return &LongError{Text: i, Words: len(e.Rows), Most: m.longest}
		}
	}
	return nil
}

// pack makes m.batch of the texts, by falling length, equal lengths in their order,
// and leaves in place where each has gone.
func (m *Model) pack(list []Encoded, place []int) {
	p := &m.batch
	p.Reset(false)
	p.Draw(len(list), func(i, j int32) int {
		return cmp.Or(cmp.Compare(len(list[j].Rows), len(list[i].Rows)), cmp.Compare(i, j))
	})
	for at, i := range p.Drawn {
		place[i] = at
		p.Add(i, dataset.Unlabelled, list[i].Rows)
	}
}

// average leaves in m.means the mean vector of each text [B, d], as training has
// computed it from frozen vectors.
func (m *Model) average(list []Encoded, table []float32) error {
	d := m.table.Dim
	m.means = slices.Grow(m.means[:0], len(list)*d)[:len(list)*d]
	return models.Means(m.pool, m.means, table, d, len(list), func(i int) []int32 { return list[i].Rows })
}

// Len returns B, the number of texts.
func (b *Batch) Len() int { return len(b.place) }

// Words returns the number of words of text i.
func (b *Batch) Words(i int) int { return b.words[i] }

// P returns the probability of each class [C].
func (b *Batch) P(i int) []float32 { return b.model.network.Scores().Row(b.place[i]) }

// Logits returns the logits [C].
func (b *Batch) Logits(i int) []float32 { return b.model.network.Logits().Row(b.place[i]) }

// Class returns the most probable class, the first of equals.
func (b *Batch) Class(i int) int {
	return simd.ArgMax(b.P(i))
}

// Entropy returns that of the attention in nats, of self-attention the mean over
// layers and heads; NaN for a model without attention.
func (b *Batch) Entropy(i int) float32 {
	if b.entropy == nil {
		return float32(math.NaN())
	}
	return b.entropy[b.place[i]]
}
