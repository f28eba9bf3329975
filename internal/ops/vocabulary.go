package ops

import (
	"errors"
	"fmt"

	"imdbexp/internal/diagram"
)

// VocabularyResult holds the results of VocabularyLoss.
type VocabularyResult struct {
	Mean      *Node // [1, 1] nats a row with a label: the cost of training
	Each      *Node // [M, 1] −log p[label] in nats, 0 without a label
	Predicted *Node // [M, 1] the likeliest word, the first of equals; −1 if the logits have NaN
}

// VocabularyLoss compares each target row with the word it should write:
//
//	z = x·wᵀ + bias    p = softmax(z)    ℓ = −Σ_v t_v log p_v
//
// x is [M, e] on Targets, bias [1, V] or nil, and w [V, e], which may be the table of Embed
// (Press and Wolf 2017). Labels are Batch.TargetOut; a row without one (−1)
// has loss 0, no gradient and no part in the mean. In a graph for training the mean
// has labels smoothed by 0 ≤ ε < 1 (Szegedy et al. 2016, section 7): t_v = ε/V, and
// 1−ε more for the label. Each and the losses of other graphs have no smoothing.
// Only the mean is differentiated.
//
// The logits and their gradient share one buffer [M, V]; a graph that is not for
// training has none, only some rows for each shard.
func VocabularyLoss(x, w, bias *Node, smoothing float64) VocabularyResult {
	g := x.g
	in, err := vocabularyInputs(x, w, bias)
	switch {
	case err == nil && x.axis != Axis(g.pairs.targets):
		err = errors.New("needs one row for each target word")
	case err == nil && w.axis.Len() >= 1<<24:
		err = fmt.Errorf("%d words, but float32 counts to %d", w.axis.Len(), 1<<24)
	case err == nil && !(smoothing >= 0 && smoothing < 1):
		err = fmt.Errorf("label smoothing %v is outside [0, 1)", smoothing)
	}
	if err != nil {
		g.fail("vocabulary loss: %v", err)
	}
	k := &vocabularyLoss{vocabularyOp: vocabularyOp{g: g, axis: x.axis}, words: w.axis.Len()}
	if g.learning() {
		k.smoothing = smoothing
	}
	r := g.apply("vocabulary loss", k, in, result{newFixed(1), 1}, result{x.axis, 1}, result{x.axis, 1})
	return VocabularyResult{r[0], r[1], r[2]}
}

func (k *vocabularyLoss) picture(s *Sketch, n *Node) drawn {
	in := n.src.inputs
	e := &equation{s: s}
	w := s.symbol(in[1], "W")
	text := "zₜ = " + w + "·" + e.refer(in[0])
	if len(in) > 2 {
		text += " + " + s.symbol(in[2], "b")
	}
	lines := []string{text}
	if s.readers[in[1].shown()] > 1 {
		lines = append(lines, w+": the embeddings of y")
	}
	return drawn{s.box(diagram.Op(lines...), e.edges...), "z"}
}

// VocabularyScores returns the log-probabilities [rows, V] of every word for each
// row, for decoding: log softmax(x·wᵀ + bias) with the weights of VocabularyLoss. x
// is [rows, e] on any axis. They cannot be part of a cost.
func VocabularyScores(x, w, bias *Node) *Node {
	in, err := vocabularyInputs(x, w, bias)
	if err != nil {
		return x.g.fail("vocabulary scores: %v", err)
	}
	k := &vocabularyScores{vocabularyOp: vocabularyOp{g: x.g, axis: x.axis}}
	return x.g.apply("vocabulary scores", k, in, result{x.axis, w.axis.Len()})[0]
}

func vocabularyInputs(x, w, bias *Node) ([]*Node, error) {
	in := []*Node{x, w}
	if bias != nil {
		in = append(in, bias)
	}
	switch words := w.axis.Len(); {
	case !isWeight(w) || bias != nil && !isWeight(bias):
		return nil, errors.New("w and bias need to be weights")
	case w.cols != x.cols:
		return nil, fmt.Errorf("x is [·, %d], w [%d, %d]", x.cols, words, w.cols)
	case bias != nil && !rowVector(bias, words):
		return nil, fmt.Errorf("x is [·, %d], w [%d, %d], bias [%d, %d]", x.cols, words, w.cols, bias.axis.Len(), bias.cols)
	}
	return in, nil
}
