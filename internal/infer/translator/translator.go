// Package translator translates with the trained model of a run, returns the attention and the
// steps, and exports the model's ONNX graph.
package translator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset/pairs"
	"imdbexp/dataset/token"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Model is the trained model of a run that translates. It is not safe for concurrent use.
type Model struct {
	Epoch int // of the weights

	search    *translate.Settings // with the run's settings of beam search
	tokenizer token.Tokenizer
	source    *pairs.Words
	target    *pairs.Words
	decoder   *translate.Decoder
}

// New rebuilds a model that translates.
func New(t *infer.Trained, pool *ops.Pool) (m *Model, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", t.Label(), err)
		}
	}()
	words := t.Languages
	if words == nil {
		return nil, errors.New("it does not translate: it was trained on reviews")
	}
	m = &Model{Epoch: t.Epoch, source: pairs.NewWords(words.Source), target: pairs.NewWords(words.Target)}
	model, settings, tok, err := t.Architecture()
	if err != nil {
		return nil, err
	}
	m.tokenizer = tok
	m.search = model.(translate.Translator).Shared()
	weights := models.NewWeights(settings.Seed)
	m.decoder, err = translate.NewDecoder(models.Spec{
		Model: model, Weights: weights, Pool: pool, In: m.source.Len(), Out: m.target.Len(), Seed: settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	kept := runs.Matrices(t.Weights)
	if err := errors.Join(models.Fill(weights.List(), kept), models.Fill(weights.States(), kept)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Close frees the model's graphs.
func (t *Model) Close() error { return t.decoder.Close() }

// Beam returns the width of the run's own beam search.
func (t *Model) Beam() int { return t.search.Beam }

// maxSentence is the maximum number of words of a sentence: memory grows with its square, and
// the models here were trained on far shorter ones.
const maxSentence = 1000

// Sentence is a translation of a text of n words.
type Sentence struct {
	Source    []token.Token // [n] the words that the model read, with their positions in the text
	Known     []bool        // [n] whether the word was in the training data
	Words     []string      // [m] of the translation
	LogProb   float64       // of these words and the end, in nats
	Alignment [][]ops.Mat   // as in translate.Translation

	ids  []int32 // [m] of Words
	next ops.Mat // as in translate.Translation
}

// Search holds the options of a translation.
type Search struct {
	Beam  int  // hypotheses to keep: 1 for greedy, 0 for the run's own number
	Align bool // whether to return what Align and Model.Steps need
}

// Translate translates texts. The translation of a text does not depend on the others; that of
// a text without words is empty.
func (t *Model) Translate(ctx context.Context, texts []infer.Input, s Search) ([]Sentence, error) {
	out := make([]Sentence, len(texts))
	var sources [][]int32
	var places []int
	for i, x := range texts {
		ids, tokens := t.source.Encode(t.tokenizer, x.Text)
		if infer.Wordless(tokens) {
			continue
		}
		if len(tokens) > maxSentence {
			return nil, fmt.Errorf("%s: %d words, more than the %d of a sentence: put each sentence on its own line", cmp.Or(x.Where, "the text"), len(tokens), maxSentence)
		}
		out[i].Source, out[i].Known = tokens, make([]bool, len(ids))
		for j, id := range ids {
			out[i].Known[j] = id != pairs.UnknownID
		}
		sources, places = append(sources, ids), append(places, i)
	}
	if s.Beam == 0 {
		s.Beam = t.search.Beam
	}
	list, err := t.decoder.Translate(ctx, sources, translate.Options{Beam: s.Beam, Alpha: t.search.Alpha, Align: s.Align})
	if err != nil {
		return nil, err
	}
	for k, x := range list {
		s := &out[places[k]]
		s.LogProb, s.Alignment, s.ids, s.next = x.LogProb, x.Alignment, x.Words, x.Next
		for _, id := range x.Words {
			s.Words = append(s.Words, t.target.Word(id))
		}
	}
	return out, nil
}

// Step is how one word of a translation was chosen, or its end.
type Step struct {
	Next       []NextWord `json:"next"`       // the likeliest words, by falling probability, and the one written
	OtherWords int        `json:"otherWords"` // the number of words not in Next
	Others     float64    `json:"others"`     // their probability together
}

// NextWord is a word that a step may write.
type NextWord struct {
	Word        string  `json:"word"`
	Rank        int     `json:"rank"` // from 1
	Probability float64 `json:"p"`
	Written     bool    `json:"written"`
}

// Steps returns the steps of a translation that was made with Search.Align, the last for its end.
func (t *Model) Steps(s *Sentence) []Step {
	out := make([]Step, s.next.Rows)
	for i := range out {
		wrote := ragged.EndID
		if i < len(s.ids) {
			wrote = s.ids[i]
		}
		row := s.next.Row(i)
		for rank, w := range infer.Argsort(row) {
			p := math.Exp(float64(row[w]))
			if rank >= likeliest && w != int(wrote) {
				out[i].OtherWords++
				out[i].Others += p
				continue
			}
			name := map[int32]string{ragged.BeginID: beginOfSentence, ragged.EndID: endOfSentence}[int32(w)]
			out[i].Next = append(out[i].Next, NextWord{cmp.Or(name, t.target.Word(int32(w))), rank + 1, p, w == int(wrote)})
		}
	}
	return out
}

// likeliest is the number of words in a step.
const likeliest = 5

// Words splits a text as the run split both languages.
func (t *Model) Words(text string) []string { return infer.Texts(token.Tokens(t.tokenizer, text)) }

// Unknown returns the words of the source that were not in the training data, in order.
func (s *Sentence) Unknown() []string {
	var out []string
	for i, known := range s.Known {
		if !known {
			out = append(out, s.Source[i].Word)
		}
	}
	return out
}

// Stream translates one text after another, as infer.Stream does. write gets some texts with
// their translations at a time.
func (t *Model) Stream(ctx context.Context, s Search, read infer.Source, write func([]infer.Input, []Sentence) error) error {
	return infer.Stream(ctx, 0, read, func(list []infer.Input) error {
		out, err := t.Translate(ctx, list, s)
		if err != nil {
			return err
		}
		return write(list, out)
	})
}

// Alignment is the attention of a translation to its source: each row is a word of the translation or
// its end, each column a word of the source.
type Alignment struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Weights [][]float64 `json:"weights"` // [rows][columns]; each row adds up to one
	Of      string      `json:"what"`    // description: layers and heads
}

// The names of the steps that begin and end a translation.
const (
	beginOfSentence = "(begin)"
	endOfSentence   = "(end)"
)

// Align returns the weights in one head of one layer, both counted from 1; layer 0 is the last, head 0
// the mean over the layer's heads. The translation must have been made with Search.Align. It returns
// a SelectionError if the model does not have it.
func (s *Sentence) Align(o infer.Selection) (Alignment, error) {
	a := Alignment{Rows: append(slices.Clone(s.Words), endOfSentence), Columns: infer.Texts(s.Source)}
	if len(s.Alignment) == 0 {
		return a, infer.SelectionErrorf("the model has no attention: its decoder reads only one vector")
	}
	layer, head, err := o.Choose(s.Heads())
	if err != nil {
		return a, err
	}
	heads := s.Alignment[layer]
	switch {
	case len(heads) == 1:
		a.Of = "attention to the source"
	case head >= 0:
		a.Of = fmt.Sprintf("head %d of %d", head+1, len(heads))
		heads = heads[head : head+1]
	default:
		a.Of = fmt.Sprintf("mean over the %d heads", len(heads))
	}
	if n := len(s.Alignment); n > 1 {
		a.Of += fmt.Sprintf(" of layer %d of %d", layer+1, n)
	}
	for i := range a.Rows {
		row := make([]float64, len(a.Columns))
		for _, h := range heads {
			for j := range row {
				row[j] += float64(h.Row(i)[j]) / float64(len(heads))
			}
		}
		a.Weights = append(a.Weights, row)
	}
	return a, nil
}

// Heads returns the number of heads of each layer.
func (s *Sentence) Heads() []int {
	out := []int{}
	for _, heads := range s.Alignment {
		out = append(out, len(heads))
	}
	return out
}
