package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Forced is a translator's graph of teacher forcing, for those who read it: the target
// words of a pair go in, and every row scores what comes next.
type Forced struct {
	Source, Target *ops.Seq
	Scores         *ops.Node   // [M, V] log-probabilities
	Layers         []*ops.Node // of the attention to the source; none without one
}

// NewForced builds that graph from the weights, which it shares. s.Model must be a
// Translator.
func NewForced(s Spec) (*Forced, error) {
	t, ok := s.Model.(Translator)
	if !ok {
		return nil, fmt.Errorf("a model of the type %T does not translate", s.Model)
	}
	if err := s.translates(); err != nil {
		return nil, err
	}
	g := ops.NewGraph(s.Pool, false)
	b := newBuilder(g, &s)
	memory := t.Encode(b)
	y := t.Decode(b, memory, State{Last: memory.Start})
	w, bias := b.vocabulary(t.Shared(), y.Out.Cols())
	f := &Forced{Source: g.Words(), Target: g.Targets(), Scores: ops.VocabularyScores(y.Out, w, bias), Layers: y.Entropies}
	if b.err != nil {
		return nil, b.err
	}
	return f, g.Err()
}
