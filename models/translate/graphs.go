package models

import (
	"cmp"

	"imdbexp/internal/ops"
)

// encoderGraph reads a batch of sources.
type encoderGraph struct {
	machine *ops.Machine
	memory  Memory
}

func newEncoderGraph(t Translator, s *Spec) (*encoderGraph, error) {
	g := ops.NewGraph(s.Pool, false)
	b := newBuilder(g, s)
	e := &encoderGraph{memory: t.Encode(b)}
	var err error
	e.machine, err = b.machine()
	return e, err
}

// machine compiles the graph that has been built.
func (b *Builder) machine() (*ops.Machine, error) {
	if err := cmp.Or(b.err, b.g.Err()); err != nil {
		return nil, err
	}
	return b.g.Machine()
}

// stepGraph reads one word of each translation and scores the next one. What it
// reads beside the word are leaves.
type stepGraph struct {
	machine *ops.Machine
	memory  []*ops.Node // as Memory.Words
	state   State
	out     Decoded
	scores  *ops.Node // [M, V] log-probabilities
}

// newStepGraph builds a step that reads memory, and a past like those nodes.
func newStepGraph(t Translator, s *Spec, memory Memory, past []*ops.Node) (*stepGraph, error) {
	g := ops.NewGraph(s.Pool, false)
	b := newBuilder(g, s)
	leaves := func(name string, axis ops.Axis, like []*ops.Node) (out []*ops.Node) {
		for _, n := range like {
			out = append(out, g.Leaf(name, axis, n.Cols(), false))
		}
		return out
	}
	step := &stepGraph{memory: leaves("memory", g.Words(), memory.Words)}
	step.state.Last = leaves("last", g.Words().Reviews(), memory.Start)
	if past != nil {
		step.state.Past = leaves("past", g.Past(), past)
	}
	step.out = t.Decode(b, Memory{Words: step.memory}, step.state)
	w, bias := b.vocabulary(t.Shared(), step.out.Out.Cols())
	step.scores = ops.VocabularyScores(step.out.Out, w, bias)
	var err error
	step.machine, err = b.machine()
	return step, err
}
