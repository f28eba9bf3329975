package translator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
)

// Alignment is one attention of a translator: each row is a query, each column a word that it
// attends to.
type Alignment struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Weights [][]float64 `json:"weights"` // [rows][columns], without masked ones at the end of a row; each row adds up to one
	Of      string      `json:"what"`    // description: the attention, layers and heads
	Head    string      `json:"-"`       // description of layers and heads
	Down    string      `json:"down"`    // title of the rows
	Across  string      `json:"across"`  // title of the columns
	Key     string      `json:"key"`     // a sentence that explains it
}

// The attentions of a translator, as Align calls them: from the translation to the
// source, and self-attention within each.
const (
	OfSource  = "source"
	OfEncoder = "encoder"
	OfDecoder = "decoder"
)

// Attentions are the names of all of them.
var Attentions = []string{OfSource, OfEncoder, OfDecoder}

// The names of the steps that begin and end a translation.
const (
	beginOfSentence = "(begin)"
	endOfSentence   = "(end)"
)

// Align returns the weights of one of Attentions in one head of one layer, both counted
// from 1; layer 0 is the last, head 0 the mean over the layer's heads. With a word it returns only
// its row: for the encoder a word of the source, else of the translation, given by itself, its
// number from 1, or (end). The translation must have been made with Search.Align. It returns a
// LookError if the model or the sentence does not have it.
func (s *Sentence) Align(of string, o infer.Look) (Alignment, error) {
	all, a, err := s.attention(of)
	if err != nil {
		return a, err
	}
	number := make([]int, len(all))
	for l, heads := range all {
		number[l] = len(heads)
	}
	layer, head, err := o.Choose(number)
	if err != nil {
		return a, err
	}
	heads := all[layer]
	a.Head = alignmentName(of, len(all), layer+1, len(heads), head+1)
	a.Of += a.Head
	if head >= 0 {
		heads = heads[head : head+1]
	}
	for i := range a.Rows {
		row := make([]float64, len(a.Columns))
		if of == OfDecoder {
			row = row[:i+1]
		}
		for _, h := range heads {
			for j := range row {
				row[j] += float64(h.Row(i)[j]) / float64(len(heads))
			}
		}
		a.Weights = append(a.Weights, row)
	}
	if o.Word != "" {
		i, err := s.row(o.Word, a.Rows)
		if err != nil {
			return a, err
		}
		a.Rows, a.Weights, a.Columns = a.Rows[i:i+1], a.Weights[i:i+1], a.Columns[:len(a.Weights[i])]
		a.Of += fmt.Sprintf(", word %d", i+1)
	}
	return a, nil
}

// attention returns the weights of each layer and head, and what their rows and columns
// are.
func (s *Sentence) attention(of string) (all [][]ops.Mat, a Alignment, err error) {
	source := infer.Texts(s.Source)
	a = Alignment{Rows: append(slices.Clone(s.Words), endOfSentence), Down: "translation", Columns: source, Across: "source"}
	switch of {
	case OfEncoder:
		all, a.Rows, a.Down = s.Encoder, source, "source"
		a.Of, a.Key = "self-attention of the encoder, ", "Each row is a word of the source and its attention to all of the source"
	case OfDecoder:
		all, a.Columns, a.Across = s.Decoder, append([]string{beginOfSentence}, s.Words...), "written so far"
		a.Of, a.Key = "masked self-attention of the decoder, ", "Each row is a step that writes a word, and its attention to the words before"
	default:
		all, a.Key = s.Alignment, "Each row is a word of the translation and its attention to the source"
	}
	switch {
	case len(all) > 0:
		return all, a, nil
	case len(s.Alignment) == 0:
		return nil, a, infer.LookErrorf("the model has no attention: its decoder reads only one vector")
	}
	return nil, a, infer.LookErrorf("the model has no self-attention in its %s, which reads word by word: there is only its attention to the source", of)
}

// row returns the index of the row of a word.
func (s *Sentence) row(word string, rows []string) (int, error) {
	i, err := strconv.Atoi(word)
	if i--; err != nil || i < 0 || i >= len(rows) { // 10 may be a word
		i = slices.IndexFunc(rows, func(w string) bool { return strings.EqualFold(w, word) })
	}
	if i < 0 {
		return 0, infer.LookErrorf("word %q: the rows are %s, or their numbers 1 to %d", word, strings.Join(rows, " "), len(rows))
	}
	return i, nil
}

func alignmentName(of string, layers, layer, heads, head int) string {
	where := ""
	if layers > 1 {
		where = fmt.Sprintf(" of layer %d of %d", layer, layers)
	}
	switch {
	case heads == 1 && of != OfEncoder && of != OfDecoder:
		return "attention to the source" + where
	case heads == 1:
		return "one head" + where
	case head > 0:
		return fmt.Sprintf("head %d of %d%s", head, heads, where)
	}
	return fmt.Sprintf("mean over the %d heads%s", heads, where)
}

// Heads returns the number of layers of one of Attentions, and of heads of each.
func (s *Sentence) Heads(of string) (layers, heads int) {
	all, _, err := s.attention(of)
	if err != nil {
		return 0, 0
	}
	return len(all), len(all[0])
}
