// Package translator gets translations from the trained model of a run, with their attention and
// their steps, and exports the model's ONNX graph.
package translator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
func New(t *infer.Trained, pool *ops.Pool) (*Model, error) {
	m, err := rebuild(t, pool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return m, nil
}

func rebuild(t *infer.Trained, pool *ops.Pool) (*Model, error) {
	words := t.Languages
	if words == nil {
		return nil, errors.New("it does not translate: it was trained on reviews")
	}
	m := &Model{Epoch: t.Epoch, source: pairs.NewWords(words.Source), target: pairs.NewWords(words.Target)}
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

// Beam returns how many hypotheses the run's own beam search keeps.
func (t *Model) Beam() int { return t.search.Beam }

// maxSentence is the maximum number of words of a sentence: memory grows with its square, and
// the models here were trained on far shorter ones.
const maxSentence = 1000

// Sentence is a translation of a text of n words.
type Sentence struct {
	Source               []token.Token // [n] the words that the model read, with their positions in the text
	Known                []bool        // [n] whether the word was in the training data
	Candidate                          // the translation
	Best                 []Candidate   // the Search.Top best translations, this one first
	translate.Attentions               // with Search.Align

	next ops.Mat // as in translate.Translation
}

// Candidate is a translation that a search found.
type Candidate struct {
	Words   []string `json:"words"`    // [m]
	LogProb float64  `json:"logprob"`  // of the words and the end, in nats
	Score   float64  `json:"rankedBy"` // LogProb / (m+1)^alpha, by which the search ranks

	ids []int32 // [m] of Words
}

// Search are the options of a translation.
type Search struct {
	Beam  int  // hypotheses to keep: 1 for greedy, 0 for the run's own number, or Top if that is more
	Top   int  // translations to return for each text; 0 is the best alone
	Align bool // whether to return Attentions, and what Model.Steps needs
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
		s.Beam = max(t.search.Beam, s.Top)
	}
	list, err := t.decoder.Translate(ctx, sources, translate.Options{Beam: s.Beam, Alpha: t.search.Alpha, Top: s.Top, Align: s.Align})
	if err != nil {
		return nil, err
	}
	for k, x := range list {
		s := &out[places[k]]
		s.Candidate, s.Attentions, s.next = t.candidate(x), x.Attentions, x.Next
		s.Best = []Candidate{s.Candidate}
		for _, other := range x.Others {
			s.Best = append(s.Best, t.candidate(other))
		}
	}
	return out, nil
}

func (t *Model) candidate(x translate.Translation) Candidate {
	c := Candidate{Words: make([]string, len(x.Words)), LogProb: x.LogProb, Score: x.Score, ids: x.Words}
	for j, id := range x.Words {
		c.Words[j] = t.target.Word(id)
	}
	return c
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
		for rank, w := range infer.Falling(row) {
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

// likeliest is how many words a step shows.
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

// sentencesAtOnce is how many texts of a stream are translated together.
const sentencesAtOnce = 256

// Stream translates one text after another, as infer.Stream does. write gets some texts with
// their translations at a time.
func (t *Model) Stream(ctx context.Context, s Search, read func(ctx context.Context, yield func(infer.Input) error) error, write func([]infer.Input, []Sentence) error) error {
	return infer.Stream(ctx, infer.Gather{Texts: sentencesAtOnce}, read, func(list []infer.Input) error {
		out, err := t.Translate(ctx, list, s)
		if err != nil {
			return err
		}
		return write(list, out)
	})
}

// Alignment is one attention of a translator: each row is a query, each column a word that it
// attends to.
type Alignment struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Weights [][]float64 `json:"weights"` // [rows][columns], without masked ones at the end of a row; each row adds up to one
	Of      string      `json:"what"`    // description: the attention, layers and heads
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
	a.Of += alignmentName(of, len(all), layer+1, len(heads), head+1)
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
