package translator

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models/translate"
)

// Steps are the numbers behind a translation, computed again in float64 from
// the run's weights: for each word written, how its step attends to the source, and the
// distribution over the words that the run can write.
type Steps struct {
	Sentence
	Steps      []Step // [m+1], the last writes the end
	Vocabulary int    // words that a step chooses from

	// The largest differences from the network's single precision, in all steps: of the
	// words' log-probabilities, and of the weights of the source.
	OffLogProb, OffWeight float64
}

// Step is how one word was written.
type Step struct {
	Number     int          `json:"-"`          // from 1
	Read       string       `json:"read"`       // the word before
	Wrote      string       `json:"wrote"`      // the word
	Attention  *infer.Steps `json:"attention"`  // to the source: Words, From … Sum; nil for a model without
	Next       []NextWord   `json:"next"`       // the likeliest, by falling probability, and the one written
	OtherWords int          `json:"otherWords"` // the number of words not in Next
	Others     float64      `json:"others"`     // their probability together
	LogProb    float64      `json:"logprob"`    // of the word written
}

// NextWord is a word that a step may write.
type NextWord struct {
	Word        string  `json:"word"`
	Rank        int     `json:"rank"`  // from 1
	Score       float64 `json:"score"` // the logit
	Probability float64 `json:"p"`
	Written     bool    `json:"written"`
}

// Steps computes how each word of a translation of a short text was chosen. o chooses the layer (by
// default the last) and the head (by default the first) of the attention to the source.
func (t *Model) Steps(sentence Sentence, o infer.Look) (*Steps, error) {
	s := &Steps{Sentence: sentence, Vocabulary: t.target.Len()}
	switch n := len(s.Source); {
	case n == 0:
		return nil, infer.LookErrorf("the text has no words to translate")
	case n > infer.StepsWords:
		return nil, infer.LookErrorf("the text has %d words; steps are shown for at most %d", n, infer.StepsWords)
	}
	f, err := translate.NewForced(t.spec)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := &ragged.Batch{}
	b.Reset(false)
	b.Add(0, 0, s.sourceIDs)
	b.TargetOffsets = []int{0}
	b.AddTarget(s.ids)
	if err := f.Run(b); err != nil {
		return nil, err
	}
	r := &reader{Exact: ops.NewExact(), t: t, f: f, s: s}
	if err := r.read(o); err != nil {
		return nil, err
	}
	return s, nil
}

// reader finds the steps in the graph of teacher forcing.
type reader struct {
	*ops.Exact
	t *Model
	f *translate.Forced
	s *Steps
}

func (r *reader) read(o infer.Look) error {
	logProbs, err := r.Value(r.f.Scores)
	if err != nil {
		return err
	}
	for i, v := range r.f.Scores.Mat().Data {
		r.s.OffLogProb = max(r.s.OffLogProb, math.Abs(float64(v)-logProbs.Data[i]))
	}
	read := beginOfSentence
	for i, word := range append(slices.Clone(r.s.Words), endOfSentence) {
		step := Step{Number: i + 1, Read: read, Wrote: word}
		read = word
		if err := r.next(&step, logProbs.Row(i)); err != nil {
			return err
		}
		r.s.Steps = append(r.s.Steps, step)
	}
	return r.attention(o)
}

// next reads the distribution over the words.
func (r *reader) next(step *Step, logProbs []float64) error {
	wrote := ragged.EndID
	if i := step.Number - 1; i < len(r.s.Words) {
		wrote = r.s.ids[i]
	}
	step.LogProb = logProbs[wrote]
	for rank, w := range infer.Falling(logProbs) {
		p := math.Exp(logProbs[w])
		if rank >= 5 && w != int(wrote) { // the likeliest are shown
			step.OtherWords++
			step.Others += p
			continue
		}
		score, err := r.score(step.Number-1, w)
		if err != nil {
			return err
		}
		name := map[int32]string{ragged.BeginID: beginOfSentence, ragged.EndID: endOfSentence}[int32(w)]
		step.Next = append(step.Next, NextWord{cmp.Or(name, r.t.target.Word(int32(w))), rank + 1, score, p, w == int(wrote)})
	}
	return nil
}

// score returns the logit of a word in a row: w·x + b.
func (r *reader) score(row, word int) (sum float64, err error) {
	for i, n := range r.f.Scores.Inputs() {
		v, err := r.Value(n)
		switch {
		case err != nil:
			return 0, err
		case i == 1:
			x, _ := r.Value(r.f.Scores.Inputs()[0]) // computed already
			for j, weight := range v.Row(word) {
				sum += weight * x.Row(row)[j]
			}
		case i == 2:
			sum += v.Row(0)[word]
		}
	}
	return sum, nil
}

// attention reads how the steps attend to the source.
func (r *reader) attention(o infer.Look) error {
	layers := len(r.f.Layers)
	if layers == 0 {
		if o.Layer != 0 || o.Head != 0 {
			return infer.LookErrorf("the model has no attention: its decoder reads only one vector")
		}
		return nil
	}
	heads := make([]int, layers)
	for l, n := range r.f.Layers {
		heads[l] = n.Cols()
	}
	layer, head, err := infer.Look{Layer: o.Layer, Head: max(o.Head, 1)}.Choose(heads)
	if err != nil {
		return err
	}
	entropies := r.f.Layers[layer]
	w, _, err := r.Weighing(entropies, 0, head)
	if err != nil {
		return err
	}
	looks, err := r.f.Attentions(0)
	if err != nil {
		return err
	}
	for i, v := range looks.Alignment[layer][head].Data {
		r.s.OffWeight = max(r.s.OffWeight, math.Abs(float64(v)-w.Weights.Data[i]))
	}
	for i := range r.s.Steps {
		step := &r.s.Steps[i]
		a := &infer.Steps{Words: infer.Texts(r.s.Source), Known: r.s.Known, From: fmt.Sprintf("the query of step %d", step.Number)}
		if layers > 1 || entropies.Cols() > 1 {
			a.From += fmt.Sprintf(" in layer %d of %d, head %d of %d", layer+1, layers, head+1, entropies.Cols())
		}
		a.Keep(w, step.Number-1)
		a.SumUp(w)
		step.Attention = a
	}
	return nil
}
