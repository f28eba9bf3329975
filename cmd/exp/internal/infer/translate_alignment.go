package infer

import "fmt"

// Alignment is how a translation of m words looked at the n words of its source.
type Alignment struct {
	Source, Target []string    // [n], [m+1] with the end of the translation
	Weights        [][]float64 // [m+1][n]; each row adds up to one
	Of             string      // whose weights: the attention, or which layers and heads
}

// endOfSentence stands for the step that ends a translation.
const endOfSentence = "(end)"

// Align returns the weights of the attention to the source in one head of one layer,
// both counted from 1; layer 0 is the last, head 0 the mean over the layer's heads.
// The translation must have been made with align; a LookError says what it lacks.
func (s *Sentence) Align(layer, head int) (Alignment, error) {
	layers := len(s.Alignment)
	switch {
	case layers == 0:
		return Alignment{}, lookError("the model has no attention: all that its decoder gets of a sentence is one vector")
	case layer < 0 || layer > layers:
		return Alignment{}, lookError("there is no layer %d: the decoder has %d", layer, layers)
	case layer == 0:
		layer = layers
	}
	heads := s.Alignment[layer-1]
	if head < 0 || head > len(heads) {
		return Alignment{}, lookError("there is no head %d: layer %d has %d", head, layer, len(heads))
	}
	a := Alignment{Target: append(append([]string(nil), s.Words...), endOfSentence), Of: alignmentName(layers, layer, len(heads), head)}
	for _, w := range s.Source {
		a.Source = append(a.Source, w.Word)
	}
	if head > 0 {
		heads = heads[head-1 : head]
	}
	for i := range a.Target {
		row := make([]float64, len(a.Source))
		for _, h := range heads {
			for j, w := range h.Row(i) {
				row[j] += float64(w) / float64(len(heads))
			}
		}
		a.Weights = append(a.Weights, row)
	}
	return a, nil
}

func alignmentName(layers, layer, heads, head int) string {
	where := ""
	if layers > 1 {
		where = fmt.Sprintf(" of layer %d of %d", layer, layers)
	}
	switch {
	case heads == 1 && layers == 1:
		return "attention to the source"
	case heads == 1:
		return "attention to the source" + where
	case head > 0:
		return fmt.Sprintf("head %d of %d%s", head, heads, where)
	}
	return fmt.Sprintf("mean over the %d heads%s", heads, where)
}

// Heads returns how many layers of attention to the source the translation has, and
// how many heads each.
func (s *Sentence) Heads() (layers, heads int) {
	if len(s.Alignment) == 0 {
		return 0, 0
	}
	return len(s.Alignment), len(s.Alignment[0])
}
