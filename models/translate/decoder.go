package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Decoder translates with a trained Translator, word by word: the source is read
// once; each step then reads one word and what the steps before have left, recurrent
// states or cached keys and values, so that no row is computed twice. What it says
// of a sentence does not depend on the others that it is given with. One goroutine
// at a time may use it.
type Decoder struct {
	spec   Spec
	encode *encoderGraph
	first  *stepGraph // of the first step, and of all where nothing is cached
	next   *stepGraph // reads the cache; nil without one
	forced *Forced    // for Looks; nil until they are wanted

	machines []*ops.Machine // of all these
}

// NewDecoder builds the graphs for decoding. s.Model must be a Translator; its
// weights are shared, not copied, so that a decoder follows a training.
func NewDecoder(s Spec) (*Decoder, error) {
	t, ok := s.Model.(Translator)
	if !ok {
		return nil, fmt.Errorf("a model of the type %T does not translate", s.Model)
	}
	if err := s.translates(); err != nil {
		return nil, err
	}
	s.Training, s.Margins = false, false
	d := &Decoder{spec: s}
	if err := d.build(t); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Decoder) build(t Translator) (err error) {
	if d.encode, err = newEncoderGraph(t, &d.spec); err != nil {
		return err
	}
	d.machines = append(d.machines, d.encode.machine)
	if d.first, err = newStepGraph(t, &d.spec, d.encode.memory, nil); err != nil {
		return err
	}
	d.machines = append(d.machines, d.first.machine)
	if len(d.first.out.Past) == 0 {
		return nil
	}
	if d.next, err = newStepGraph(t, &d.spec, d.encode.memory, d.first.out.Past); err != nil {
		return err
	}
	d.machines = append(d.machines, d.next.machine)
	return nil
}

// Close frees the graphs.
func (d *Decoder) Close() error {
	var err error
	for _, m := range d.machines {
		err = errors.Join(err, m.Close())
	}
	if d.forced != nil {
		err = errors.Join(err, d.forced.Close())
	}
	return err
}

// DecodeOptions say how to search for a translation.
type DecodeOptions struct {
	Beam  int     // translations gone on with; 1, or 0, is greedy: always the likeliest word
	Alpha float64 // scores are log p / rows^Alpha; at least 0
	// MaxLen is the most rows of a translation, with end-of-sentence, which the last
	// one has to write; 0 is 2n+10 for a source of n words, more than any two
	// languages need.
	MaxLen int
	Top    int  // translations wanted of each source, at most Beam; 0 is the best alone
	Align  bool // whether Looks are wanted
}

// Translation is what was written for a source of n words: m words and
// end-of-sentence, m+1 rows.
type Translation struct {
	Words   []int32 // [m] of the target vocabulary
	LogProb float64 // Σ log p of the rows, in nats
	Score   float64 // LogProb / (m+1)^alpha
	Looks

	// Others are the next best that the search has found, by falling Score; fewer than
	// wanted where so few words are allowed that there are no more. They have no Looks.
	Others []Translation
}

// sentencesAtOnce is how many sentences, times the beam, are decoded in one batch.
const sentencesAtOnce = 128

// Translate returns a translation for each of the sources, which are words of the
// source vocabulary, at least one each.
func (d *Decoder) Translate(ctx context.Context, sources [][]int32, o DecodeOptions) ([]Translation, error) {
	o.Beam = max(o.Beam, 1)
	switch {
	case !(o.Alpha >= 0) || o.MaxLen < 0:
		return nil, fmt.Errorf("beam.alpha=%g and a longest translation of %d must not be negative", o.Alpha, o.MaxLen)
	case o.Top > o.Beam:
		return nil, fmt.Errorf("a beam of %d finds that many translations: %d are wanted", o.Beam, o.Top)
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

// translate translates the given ones of the sources, in one batch.
func (d *Decoder) translate(ctx context.Context, sources [][]int32, part []int, o DecodeOptions, out []Translation) error {
	batch := sourceBatch(sources, part)
	if err := d.encode.machine.Run(batch, 0); err != nil {
		return err
	}
	searches := make([]*search, len(part))
	for i, at := range part {
		searches[i] = newSearch(len(sources[at]), o)
	}
	if err := newCourse(d, batch, searches).run(ctx); err != nil {
		return err
	}
	for i, at := range part {
		out[at] = searches[i].translation()
	}
	if !o.Align {
		return nil
	}
	return d.align(batch, part, out)
}

// sourceBatch packs the given ones of the sources.
func sourceBatch(sources [][]int32, part []int) *ragged.Batch {
	b := &ragged.Batch{}
	b.Reset(false)
	for i, at := range part {
		b.Add(int32(i), 0, sources[at])
	}
	return b
}

// align runs the translations of a batch of sources through the graph that learns
// them, all rows at once, and takes the weights from there: they are the ones that
// the search has seen, and most hypotheses of a search are given up.
func (d *Decoder) align(batch *ragged.Batch, part []int, out []Translation) error {
	if d.forced == nil {
		var err error
		if d.forced, err = NewForced(d.spec); err != nil {
			return err
		}
	}
	if d.forced.attends() == 0 {
		return nil
	}
	b := *batch
	b.TargetOffsets = []int{0}
	for _, at := range part {
		b.AddTarget(out[at].Words)
	}
	if err := d.forced.Run(&b); err != nil {
		return err
	}
	for i, at := range part {
		var err error
		if out[at].Looks, err = d.forced.Looks(i); err != nil {
			return err
		}
	}
	return nil
}
