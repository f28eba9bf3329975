package translate

import (
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// encoderGraph reads a batch of sources.
type encoderGraph struct {
	machine *ops.Machine
	memory  Memory
}

func newEncoderGraph(t Translator, s *models.Spec) (*encoderGraph, error) {
	b := models.NewBuilder(ops.NewGraph(s.Pool, false), s)
	e := &encoderGraph{memory: t.Encode(b)}
	var err error
	e.machine, err = b.Machine()
	return e, err
}

// stepGraph reads one word of each translation and scores the next one. Its other inputs are
// leaves: the memory of the source, and what earlier steps computed.
type stepGraph struct {
	machine *ops.Machine
	memory  []*ops.Node // as Memory.Words
	state   State
	out     Decoded
	scores  *ops.Node // [M, V] log-probabilities
}

// newStepGraph builds a step for that memory, and for a past of the shape of those nodes.
func newStepGraph(t Translator, s *models.Spec, memory Memory, past []*ops.Node) (*stepGraph, error) {
	g := ops.NewGraph(s.Pool, false)
	b := models.NewBuilder(g, s)
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
	w, bias := vocabulary(b, t.Shared(), step.out.Out.Cols())
	step.scores = ops.VocabularyScores(step.out.Out, w, bias)
	var err error
	step.machine, err = b.Machine()
	return step, err
}
