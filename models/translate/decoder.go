package translate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
)

// Decoder translates with a trained Translator, word by word. It encodes the source once; each
// step reads one word and the recurrent states, or cached keys and values, of the steps before,
// so that no row is computed twice. The translation of a sentence does not depend on the other
// sentences. A Decoder is not safe for concurrent use.
type Decoder struct {
	model  Translator
	spec   models.Spec
	encode *ops.Machine
	memory Memory     // that encode computes
	first  *stepGraph // of the first step
	next   *stepGraph // of the others, which reads the cache; first where nothing is cached
	forced *stepGraph // for Options.Align; nil until it is needed

	machines []*ops.Machine // of all these
}

// NewDecoder builds the graphs for decoding. s.Model must be a Translator; its weights are
// shared, not copied, so that a decoder follows a training.
func NewDecoder(s models.Spec) (*Decoder, error) {
	t, ok := s.Model.(Translator)
	if !ok {
		return nil, fmt.Errorf("a model of the type %T does not translate", s.Model)
	}
	if err := check(&s); err != nil {
		return nil, err
	}
	s.Training, s.Margins = false, false
	d := &Decoder{model: t, spec: s}
	b := d.builder()
	d.memory = t.Encode(b)
	var err error
	if d.encode, err = d.machine(b); err == nil {
		d.first, err = d.step(nil)
	}
	if err == nil {
		if d.next = d.first; len(d.first.out.Past) > 0 {
			d.next, err = d.step(d.first.out.Past)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Decoder) builder() *models.Builder {
	return models.NewBuilder(ops.NewGraph(d.spec.Pool, false), &d.spec)
}

func (d *Decoder) machine(b *models.Builder) (*ops.Machine, error) {
	m, err := b.Machine()
	if err == nil {
		d.machines = append(d.machines, m)
	}
	return m, err
}

// Close frees the graphs.
func (d *Decoder) Close() error {
	var err error
	for _, m := range d.machines {
		err = errors.Join(err, m.Close())
	}
	return err
}

// Options are the options of a search for translations.
type Options struct {
	Beam  int     // hypotheses that are kept; 1, or 0, is greedy: always the likeliest word
	Alpha float64 // scores are log p / rows^Alpha; at least 0
	// MaxLen is the maximum number of rows of a translation, end-of-sentence included. 0 is
	// 2n+10 for a source of n words, more than any two languages need.
	MaxLen int
	Align  bool // whether to return Alignment and Next
}

// Translation is the translation of a source of n words: m words and end-of-sentence, m+1 rows.
type Translation struct {
	Words   []int32 // [m] of the target vocabulary
	LogProb float64 // Σ log p of the rows, in nats
	Score   float64 // LogProb / (m+1)^alpha

	// With Options.Align: the attention of each row to the source by layer and head [m+1, n], nil for
	// a model without; and the log-probability of each word of the vocabulary in each row [m+1, V].
	Alignment [][]ops.Mat
	Next      ops.Mat
}

// sentencesAtOnce is how many sentences, times the beam, are decoded in one batch.
const sentencesAtOnce = 128

// Translate returns a translation for each source, which is at least one word of the source
// vocabulary.
func (d *Decoder) Translate(ctx context.Context, sources [][]int32, o Options) ([]Translation, error) {
	o.Beam = max(o.Beam, 1)
	if !(o.Alpha >= 0) || o.MaxLen < 0 {
		return nil, fmt.Errorf("beam.alpha=%g and a longest translation of %d must not be negative", o.Alpha, o.MaxLen)
	}
	for i, s := range sources {
		if len(s) == 0 {
			return nil, fmt.Errorf("sentence %d has no words to translate", i)
		}
	}
	order := make([]int, len(sources))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(sources[j]), len(sources[i])) })
	out := make([]Translation, len(sources))
	for part := range slices.Chunk(order, max(sentencesAtOnce/o.Beam, 1)) {
		if err := d.translate(ctx, sources, part, o, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// translate translates the given sources in one batch.
func (d *Decoder) translate(ctx context.Context, sources [][]int32, part []int, o Options, out []Translation) error {
	batch := &ragged.Batch{}
	batch.Reset(false)
	for i, at := range part {
		batch.Add(int32(i), 0, sources[at])
	}
	if err := d.encode.Run(batch, 0); err != nil {
		return err
	}
	searches := make([]*search, len(part))
	for i, at := range part {
		searches[i] = newSearch(len(sources[at]), o)
	}
	c := &decoding{d: d, source: batch, searches: searches, starts: make([]int, len(searches)), rows: map[*ops.Node][]float32{}}
	if err := c.run(ctx); err != nil {
		return err
	}
	for i, at := range part {
		out[at] = *searches[i].best
	}
	if !o.Align {
		return nil
	}
	return d.align(batch, part, out)
}

// align adds the attention to the translations of a batch. It runs them through the graph of
// teacher forcing, whose weights have the same bits as those of the search; the search itself
// keeps none, because it gives up most of its hypotheses.
func (d *Decoder) align(batch *ragged.Batch, part []int, out []Translation) (err error) {
	if d.forced == nil {
		if d.forced, err = d.force(); err != nil {
			return err
		}
	}
	b := *batch
	b.TargetOffsets = []int{0}
	for _, at := range part {
		b.AddTarget(out[at].Words)
	}
	if err := d.forced.machine.Run(&b, 0); err != nil {
		return err
	}
	scores := d.forced.scores.Mat()
	for i, at := range part {
		lo, hi := b.TargetOffsets[i], b.TargetOffsets[i+1]
		out[at].Next = ops.Mat{Rows: hi - lo, Cols: scores.Cols, Data: slices.Clone(scores.Range(lo, hi))}
		if out[at].Alignment, err = alignment(d.forced.out.Entropies, i, hi-lo, b.Offsets[i+1]-b.Offsets[i]); err != nil {
			return err
		}
	}
	return nil
}
