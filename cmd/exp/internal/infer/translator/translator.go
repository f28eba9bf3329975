package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/pairs"
	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Translator is the model of a run that translates, with the weights of the epoch
// that counts. One goroutine at a time may use it.
type Translator struct {
	Epoch int // whose weights these are

	label     string
	config    runs.Config
	spec      models.Spec
	settings  settings.Run
	search    *translate.Settings // the run's settings of beam search
	tokenizer token.Tokenizer
	source    *pairs.Words
	target    *pairs.Words
	decoder   *translate.Decoder
}

// OpenTranslator rebuilds the model of a run that translates from its folder and the
// words that lie beside it; the sentence pairs need not be there any more. The run
// needs a whole epoch behind it.
func OpenTranslator(run *runs.Run, pool *ops.Pool) (*Translator, error) {
	t, err := ReadTranslator(run)
	if err != nil {
		return nil, err
	}
	return t.Translator(pool)
}

// ReadTranslator reads the model of a run that translates, as ReadRun does of one that
// classifies.
func ReadTranslator(run *runs.Run) (*Trained, error) {
	t, err := readTranslator(run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	return t, nil
}

func readTranslator(run *runs.Run) (*Trained, error) {
	c, err := chosen(run)
	if err != nil {
		return nil, err
	}
	if err := finite(c.Epoch, c.Params, c.States); err != nil {
		return nil, err
	}
	t := &Trained{Config: run.Config, Epoch: c.Epoch, Metrics: metricsOf(run, c.Epoch), Weights: slices.Concat(c.Params, c.States)}
	t.Languages, err = run.Vocabularies()
	return t, storeError(run, err)
}

// Translator rebuilds the model of a run that translates, ready to be asked.
func (t *Trained) Translator(pool *ops.Pool) (*Translator, error) {
	out, err := t.translator(pool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return out, nil
}

func (trained *Trained) translator(pool *ops.Pool) (*Translator, error) {
	words := trained.Languages
	if words == nil {
		return nil, errors.New("it translates nothing: it was trained on reviews")
	}
	t := &Translator{Epoch: trained.Epoch, label: trained.Label(), config: trained.Config, source: pairs.NewWords(words.Source), target: pairs.NewWords(words.Target)}
	model, err := trained.model(&t.settings)
	if err != nil {
		return nil, err
	}
	translator, ok := model.(translate.Translator)
	if !ok {
		return nil, fmt.Errorf("model %s does not translate, and the run has sentence pairs", t.config.Model)
	}
	t.search = translator.Shared()
	if t.tokenizer, err = token.Get(t.settings.Tokenizer()); err != nil {
		return nil, err
	}
	weights := models.NewWeights(t.settings.Seed)
	t.spec = models.Spec{
		Model: model, Weights: weights, Pool: pool, In: t.source.Len(), Out: t.target.Len(), Seed: t.settings.Seed,
	}
	t.decoder, err = translate.NewDecoder(t.spec)
	if err != nil {
		return nil, err
	}
	kept := runs.Matrices(trained.Weights)
	if err := errors.Join(models.Fill(weights.List(), kept), models.Fill(weights.States(), kept)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close frees the model's graphs.
func (t *Translator) Close() error { return t.decoder.Close() }

// Beam returns how many translations the run's own beam search goes on with.
func (t *Translator) Beam() int { return t.search.Beam }

// Alpha returns by which power of the length the run's own beam search divides log p.
func (t *Translator) Alpha() float64 { return t.search.Alpha }

// maxSentence bounds a sentence: what is read and written grows with its square, and
// no model here has seen one near this length.
const maxSentence = 1000

// Sentence is a translation of a text of n words.
type Sentence struct {
	Source               []token.Token // [n] the words that the model read, with their place in the text
	Known                []bool        // [n] whether training had the word
	sourceIDs            []int32       // [n] of Source
	Candidate                          // the translation
	Best                 []Candidate   // those that Search.Top has asked for, this one first
	translate.Attentions               // with Search.Align
}

// Candidate is a translation that a search has found.
type Candidate struct {
	Words   []string // [m]
	LogProb float64  // of the words and the end, in nats
	Score   float64  // by which the search ranks: LogProb / (m+1)^alpha

	ids []int32 // [m] of Words
}

// Search says how to translate.
type Search struct {
	Beam  int  // translations gone on with: 1 for greedy, 0 for the run's own, or Top where that is more
	Top   int  // how many translations of a text are wanted; 0 is the best alone
	Align bool // whether Looks are wanted
}

// Translate translates texts, each for itself: what comes of one does not depend on
// the others. A text without words has an empty translation.
func (t *Translator) Translate(ctx context.Context, texts []string, s Search) ([]Sentence, error) {
	out := make([]Sentence, len(texts))
	var sources [][]int32
	var places []int
	for i, text := range texts {
		ids, tokens := t.source.Encode(t.tokenizer, text)
		if wordless(tokens) {
			continue
		}
		if len(tokens) > maxSentence {
			return nil, &LongSentenceError{Text: i, Words: len(tokens)}
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

func (t *Translator) candidate(x translate.Translation) Candidate {
	c := Candidate{Words: make([]string, len(x.Words)), LogProb: x.LogProb, Score: x.Score, ids: x.Words}
	for j, id := range x.Words {
		c.Words[j] = t.target.Word(id)
	}
	return c
}

// Words splits a text as the run has split both languages.
func (t *Translator) Words(text string) []string {
	var out []string
	for _, w := range token.Tokens(t.tokenizer, text) {
		out = append(out, w.Word)
	}
	return out
}

// LongSentenceError is a text that is too long for a sentence.
type LongSentenceError struct {
	Text  int    // its place in the list
	Name  string // "" where it has none
	Words int
}

func (e *LongSentenceError) Error() string {
	return fmt.Sprintf("%s: %d words, more than the %d of a sentence: give each sentence a line of its own",
		cmp.Or(e.Name, fmt.Sprintf("text %d", e.Text+1)), e.Words, maxSentence)
}

// TranslatesError is a run that translates where one is wanted that classifies.
type TranslatesError struct {
	Label string
	looks bool // it has attention to draw
	graph bool // ONNX can run it
}

func (e *TranslatesError) Error() string {
	asked := []string{"exp predict RUN [FILE] translates"}
	if e.looks {
		asked = append(asked, "exp attend RUN TEXT draws an alignment")
	}
	if e.graph {
		asked = append(asked, "exp export RUN --onnx writes a graph")
	}
	asked = append(asked, "exp export RUN --page FILE.html a page")
	return e.Label + " translates sentences, and this is for runs that classify reviews. What it can be asked: " + strings.Join(asked, ", ")
}

// translates asks the model what can be asked of it.
func (t *Trained) translates() *TranslatesError {
	e := &TranslatesError{Label: t.Label()}
	m, err := t.Translator(nil)
	if err != nil {
		return e
	}
	defer m.Close()
	f, err := translate.NewForced(m.spec)
	e.looks = err == nil && len(f.Layers) > 0
	_, err = m.onnx()
	e.graph = err == nil
	return e
}

// Unknown returns the words of the source that training did not have, in order.
func (s *Sentence) Unknown() []string {
	var out []string
	for i, known := range s.Known {
		if !known {
			out = append(out, s.Source[i].Word)
		}
	}
	return out
}
