package translate

import (
	"context"
	"errors"
	"math"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// decoding decodes one batch of sentences. Each live hypothesis has a slot: one pair of a step's
// batch, with one target row. The slots of a sentence are next to each other, and each has a
// copy of the sentence's memory, so that the copies need not move when hypotheses are replaced.
type decoding struct {
	d        *Decoder
	source   *ragged.Batch
	searches []*search // of each sentence
	starts   []int     // the first slot of each sentence
	slots    []int     // the sentence of each slot
	parents  []int     // the slot of the step before that each hypothesis extends
	batch    ragged.Batch
	rows     map[*ops.Node][]float32 // the numbers in the leaves
	graph    *stepGraph              // of the last step
}

// run makes steps until every search has ended.
func (c *decoding) run(ctx context.Context) error {
	for t := 0; ; t++ {
		moved := c.layOut()
		if len(c.slots) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.pack(t)
		if err := c.step(t, moved); err != nil {
			return err
		}
		scores := c.graph.scores.Mat()
		for s, search := range c.searches {
			if len(search.live) > 0 {
				if err := search.extend(func(i int) []float32 { return scores.Row(c.starts[s] + i) }); err != nil {
					return err
				}
			}
		}
	}
}

// layOut gives the live hypotheses their slots. It reports whether the slots of any sentence
// have moved.
func (c *decoding) layOut() (moved bool) {
	before := slices.Clone(c.slots)
	c.slots, c.parents = c.slots[:0], c.parents[:0]
	for s, search := range c.searches {
		start := len(c.slots)
		for _, h := range search.live {
			c.slots, c.parents = append(c.slots, s), append(c.parents, c.starts[s]+h.parent)
		}
		c.starts[s] = start
	}
	return !slices.Equal(before, c.slots)
}

// pack makes the batch of step t: the last word of each hypothesis, and as many source words
// as its sentence has, whose memory is computed already.
func (c *decoding) pack(t int) {
	b := &c.batch
	b.ResetStep(t)
	for i, s := range c.slots {
		word := ragged.BeginID
		if last := c.searches[s].live[i-c.starts[s]].last; last != nil {
			word = last.word
		}
		b.AddStep(c.source.Offsets[s+1]-c.source.Offsets[s], word)
	}
}

// step runs the graph of step t on the memory of the sources and the state of the step before.
func (c *decoding) step(t int, moved bool) error {
	before := c.graph
	if c.graph = c.d.first; t > 0 {
		c.graph = c.d.next
	}
	memory, g := c.d.memory, c.graph
	if moved || g != before {
		for i, leaf := range g.memory {
			c.fill(leaf, memory.Words[i], c.slots, func(s int) (lo, hi int) { return c.source.Offsets[s], c.source.Offsets[s+1] })
		}
	}
	for i, leaf := range g.state.Last {
		from, slots := memory.Start, c.slots
		if t > 0 {
			from, slots = before.out.Last, c.parents
		}
		c.fill(leaf, from[i], slots, func(s int) (lo, hi int) { return s, s + 1 })
	}
	for i, leaf := range g.state.Past { // only after the first step
		c.fill(leaf, before.out.Past[i], c.parents, func(s int) (lo, hi int) { return s * t, s*t + t })
	}
	return g.machine.Run(&c.batch, 0)
}

// fill sets leaf to some rows of from's value, those of each slot in turn.
func (c *decoding) fill(leaf, from *ops.Node, slots []int, rows func(slot int) (lo, hi int)) {
	m, to := from.Mat(), c.rows[leaf][:0]
	for _, s := range slots {
		to = append(to, m.Range(rows(s))...)
	}
	c.rows[leaf] = to
	leaf.Set(ops.Mat{Rows: len(to) / m.Cols, Cols: m.Cols, Data: to})
}

// stepGraph reads one word of each translation, or with teacher forcing all, and scores the next one.
// Other inputs of a step are leaves: the memory of the source, and what earlier steps computed.
type stepGraph struct {
	machine *ops.Machine
	memory  []*ops.Node // as Memory.Words; nil with teacher forcing
	state   State
	out     Decoded
	scores  *ops.Node // [M, V] log-probabilities
}

// step builds the graph of a step. past are the nodes that earlier steps computed; nil for the first.
func (d *Decoder) step(past []*ops.Node) (*stepGraph, error) {
	b := d.builder()
	g := b.Graph()
	leaves := func(name string, axis ops.Axis, like []*ops.Node) (out []*ops.Node) {
		for _, n := range like {
			out = append(out, g.Leaf(name, axis, n.Cols(), false))
		}
		return out
	}
	step := &stepGraph{memory: leaves("memory", g.Words(), d.memory.Words)}
	step.state.Last = leaves("last", g.Words().Reviews(), d.memory.Start)
	if past != nil {
		step.state.Past = leaves("past", g.Past(), past)
	}
	step.out = d.model.Decode(b, Memory{Words: step.memory}, step.state)
	w, bias := vocabulary(b, d.model.Shared(), step.out.Out.Cols())
	step.scores = ops.VocabularyScores(step.out.Out, w, bias)
	var err error
	step.machine, err = d.machine(b)
	return step, err
}

// force builds the graph of teacher forcing.
func (d *Decoder) force() (f *stepGraph, err error) {
	b := d.builder()
	_, y, w, bias := forced(b, d.model)
	f = &stepGraph{out: y, scores: ops.VocabularyScores(y.Out, w, bias)}
	f.machine, err = d.machine(b)
	return f, err
}

// alignment returns the weights [rows, cols] for a pair in each layer and head.
func alignment(layers []*ops.Node, pair, rows, cols int) ([][]ops.Mat, error) {
	var out [][]ops.Mat
	for _, entropies := range layers {
		heads := make([]ops.Mat, entropies.Cols())
		for h := range heads {
			heads[h] = ops.Mat{Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
			for i := range rows {
				if err := entropies.Alignment(heads[h].Row(i), pair, h, i); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, heads)
	}
	return out, nil
}

// search is the beam search for the translation of one sentence (Sutskever et al. 2014, section
// 3.2; Bahdanau et al. 2015). Each step extends all hypotheses by all words and keeps the
// likeliest few. A hypothesis that ends with end-of-sentence leaves the beam, which is narrower
// by one from then on. A beam of one is greedy search.
//
// Finished translations of different lengths compare by log p / rows^alpha (Wu et
// al. 2016, section 7, with rows^alpha for their length penalty).
type search struct {
	beam    int // hypotheses still to be found
	alpha   float64
	rows    int // of each live hypothesis
	maxRows int
	live    []hypothesis // by decreasing logProb
	best    *Translation // of the ended ones, the first of equal scores; nil if none has ended
}

// hypothesis is the beginning of a translation.
type hypothesis struct {
	logProb float64
	last    *link // nil before the first word
	parent  int   // the live hypothesis of the step before that it extends
}

// link is a word and those before it, which several hypotheses share.
type link struct {
	word   int32
	before *link
}

// newSearch returns the search for the translation of a sentence of that many words.
func newSearch(words int, o Options) *search {
	s := &search{beam: o.Beam, alpha: o.Alpha, maxRows: o.MaxLen, live: []hypothesis{{}}}
	if s.maxRows == 0 {
		s.maxRows = 2*words + 10
	}
	return s
}

// extend makes a step: scores(i) are the log-probabilities of the words after hypothesis i. Of
// equal sums the lower word ID comes first, then the earlier hypothesis.
func (s *search) extend(scores func(i int) []float32) error {
	s.rows++
	var top []hypothesis // the likeliest so far, in their order
	for i, h := range s.live {
		for w, p := range scores(i) {
			w := int32(w)
			if w == ragged.BeginID || s.rows == s.maxRows && w != ragged.EndID { // no translation contains it; the last row must end
				continue
			}
			sum, at := h.logProb+float64(p), len(top)
			for at > 0 && (sum > top[at-1].logProb || sum == top[at-1].logProb && w < top[at-1].last.word) {
				at--
			}
			if at < s.beam && !math.IsNaN(sum) {
				top = slices.Insert(top, at, hypothesis{sum, &link{w, h.last}, i})[:min(len(top)+1, s.beam)]
			}
		}
	}
	if len(top) == 0 {
		return errors.New("the model's scores are not numbers: its weights have diverged")
	}
	s.live = s.live[:0]
	for _, h := range top {
		if h.last.word == ragged.EndID {
			s.finish(h)
		} else {
			s.live = append(s.live, h)
		}
	}
	s.prune()
	return nil
}

// finish takes h out of the beam.
func (s *search) finish(h hypothesis) {
	s.beam--
	score := h.logProb / power(s.rows, s.alpha)
	if s.best != nil && s.best.Score >= score {
		return
	}
	s.best = &Translation{LogProb: h.logProb, Score: score, Words: make([]int32, s.rows-1)}
	for i, l := s.rows-2, h.last.before; i >= 0; i, l = i-1, l.before {
		s.best.Words[i] = l.word
	}
}

// prune ends the search when no live hypothesis can still be better: log p only falls, and at best
// it is divided by the largest length.
func (s *search) prune() {
	if s.best != nil && len(s.live) > 0 && s.best.Score >= s.live[0].logProb/power(s.maxRows, s.alpha) {
		s.live = s.live[:0]
	}
}

// power returns n^alpha, with the same bits on every CPU.
func power(n int, alpha float64) float64 {
	switch alpha {
	case 0:
		return 1
	case 1:
		return float64(n)
	}
	return simd.Exp64(float64(alpha * simd.Log64(float64(n))))
}
