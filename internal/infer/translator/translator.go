// Package translator gets translations from the trained model of a run, with their attention and
// their steps, and exports the model's ONNX graph.
package translator

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/dataset/pairs"
	"imdbexp/dataset/token"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Model is the trained model of a run that translates. It is not safe for concurrent use.
type Model struct {
	Epoch int // of the weights

	label     string
	config    runs.Config
	spec      models.Spec
	search    *translate.Settings // with the run's settings of beam search
	tokenizer token.Tokenizer
	source    *pairs.Words
	target    *pairs.Words
	decoder   *translate.Decoder
}

// Open rebuilds the model of a run that translates from its folder and the words next to it; the
// sentence pairs need not be installed. The run needs at least one whole epoch.
func Open(run *runs.Run, pool *ops.Pool) (*Model, error) {
	t, err := infer.Read(run)
	if err != nil {
		return nil, err
	}
	return New(t, pool)
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
	m := &Model{Epoch: t.Epoch, label: t.Label(), config: t.Config, source: pairs.NewWords(words.Source), target: pairs.NewWords(words.Target)}
	model, settings, tok, err := t.Architecture()
	if err != nil {
		return nil, err
	}
	m.tokenizer = tok
	architecture, ok := model.(translate.Translator)
	if !ok {
		return nil, fmt.Errorf("model %s does not translate, and the run has sentence pairs", m.config.Model)
	}
	m.search = architecture.Shared()
	weights := models.NewWeights(settings.Seed)
	m.spec = models.Spec{
		Model: model, Weights: weights, Pool: pool, In: m.source.Len(), Out: m.target.Len(), Seed: settings.Seed,
	}
	m.decoder, err = translate.NewDecoder(m.spec)
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
	sourceIDs            []int32       // [n] of Source
	Candidate                          // the translation
	Best                 []Candidate   // the Search.Top best translations, this one first
	translate.Attentions               // with Search.Align
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
	Align bool // whether to return Attentions
}

// Translate translates texts. The translation of a text does not depend on the others; that of
// a text without words is empty.
func (t *Model) Translate(ctx context.Context, texts []string, s Search) ([]Sentence, error) {
	out := make([]Sentence, len(texts))
	var sources [][]int32
	var places []int
	for i, text := range texts {
		ids, tokens := t.source.Encode(t.tokenizer, text)
		if infer.Wordless(tokens) {
			continue
		}
		if len(tokens) > maxSentence {
			return nil, &infer.LongError{Text: i, Words: len(tokens), Limit: fmt.Sprintf("more than the %d of a sentence: put each sentence on its own line", maxSentence)}
		}
		out[i].Source, out[i].Known, out[i].sourceIDs = tokens, make([]bool, len(ids)), ids
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
		s.Candidate, s.Attentions = t.candidate(x), x.Attentions
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
		texts, names := make([]string, len(list)), make([]string, len(list))
		for i, x := range list {
			texts[i], names[i] = x.Text, x.Where
		}
		out, err := t.Translate(ctx, texts, s)
		if err != nil {
			return infer.Named(err, names)
		}
		return write(list, out)
	})
}
