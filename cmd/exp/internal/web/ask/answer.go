// Package ask says what a run makes of a text, as pages show it: exp serve's, and the file
// of exp export --page.
package ask

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/internal/ops"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// Question is a text to be put to a run.
type Question struct {
	Run  string `json:"run"`
	Text string `json:"text"`

	// Of self-attention, see infer.Look; without any the model's own choice.
	Layer int    `json:"layer"` // from 1; 0: the last
	Head  int    `json:"head"`  // from 1; 0: the mean over heads
	Word  string `json:"word"`  // what this word looks at: its number from 1, or [CLS]; "": what each word receives

	By     string `json:"by"`     // shade by this score, as exp attend --by has it; "": by attention
	Steps  bool   `json:"steps"`  // the numbers behind the attention
	Matrix bool   `json:"matrix"` // of self-attention what every word looks at

	// Of runs that translate.
	Top int    `json:"top"` // how many translations are wanted; 0: as many as the run's own beam goes on with
	Of  string `json:"of"`  // which of translator.Attentions is aligned; "": that to the source
}

// Answer is what a run says about a text.
type Answer struct {
	Run     string    `json:"run"`
	Epoch   int       `json:"epoch"` // whose weights were asked
	Classes []string  `json:"classes"`
	P       []float32 `json:"p"`     // [C] probability of each class
	Class   int       `json:"class"` // the most probable
	Words   int       `json:"words"` // n
	Unknown int       `json:"unknown"`
	Unread  int       `json:"unread"` // words behind those, cut off by data.max_len

	Heads     []int       `json:"heads"`     // of each layer of self-attention; empty without
	CLS       bool        `json:"cls"`       // the model puts a [CLS] before the text
	Attention *Attention  `json:"attention"` // null for a model without
	Explained *Explained  `json:"explained"` // of a model that counts n-grams; null for others
	LeftOut   *LeftOut    `json:"leftOut"`   // of a model that has not all of its n-grams here; null for others
	Scores    []Scoring   `json:"scores"`    // that may be asked for
	Scored    *Scored     `json:"scored"`    // where one was asked for
	Steps     *Steps      `json:"steps"`
	Matrix    *Matrix     `json:"matrix"`
	Lacks     []string    `json:"lacks"`  // why something that was asked for is not there
	Pieces    []TextPiece `json:"pieces"` // the text, cut at its words
	Sample    int         `json:"sample"` // words that the model knows, if it was trained on the sample; 0 for other data

	Translation *Translation `json:"translation"` // null for a model that classifies
}

// Attention sums up the attention that the pieces carry.
type Attention struct {
	What      string   `json:"what"`      // in words
	Entropy   float64  `json:"entropy"`   // nats
	Share     *float64 `json:"share"`     // of log n; null for a single word
	Effective float64  `json:"effective"` // as if over so many words alike
	Scale     []Shade  `json:"scale"`     // of the shades
	CLS       float32  `json:"cls"`       // what falls on [CLS]
	Padding   float32  `json:"padding"`   // and on padding
}

// Explained takes the score of a model that counts n-grams apart.
type Explained struct {
	Above string  `json:"above"` // the class that what is above 0 pushes to
	Below string  `json:"below"` // the one that what is below pushes to; "" of more than two, where it is away from the other
	Bias  float64 `json:"bias"`
	Score float64 `json:"score"`
	Terms []Term  `json:"terms"` // the largest
	Count int     `json:"count"` // of all
	Scale []Shade `json:"scale"`
}

// LeftOut says what a page has left out of the n-grams that a model counts.
type LeftOut struct {
	Lacks int `json:"lacks"` // of the text, at most
	Kept  int `json:"kept"`
	Left  int `json:"left"`
}

// Term is an n-gram and what it says.
type Term struct {
	Name  string  `json:"name"`
	Sum   float64 `json:"sum"`
	Times int     `json:"times"`
}

// Shade is one of the scale: of a word that has so many times an equal share.
type Shade struct {
	Ratio    int     `json:"ratio"`
	Strength float64 `json:"strength"`
}

// TextPiece is a stretch of the text: a word that the model saw, or what stands
// between words.
type TextPiece struct {
	Text     string  `json:"text"`
	Word     int     `json:"word,omitempty"`     // from 1; 0 between words
	Unknown  bool    `json:"unknown,omitempty"`  // the model has no vector for the word
	Weight   float32 `json:"weight,omitempty"`   // its attention
	Strength float64 `json:"strength,omitempty"` // of its shade, 0 to 1, see infer.Strength
	Says     float64 `json:"says,omitempty"`     // its share of the n-grams that it is part of, or its score
}

// Model answers questions: one that classifies, or one that translates.
type Model interface {
	// Put puts a question, for which so many pairs of words may be weighed. What the model
	// or the text does not have is an infer.LookError.
	Put(q Question, pairs float64) (*Answer, error)
	Close() error
}

// Open rebuilds a trained model for questions.
func Open(t *infer.Trained, pool *ops.Pool) (Model, error) {
	if t.Languages != nil {
		m, err := translator.New(t, pool)
		return translates{m}, err
	}
	c := classifier{}
	if t.Config.Data.Name == "sample" {
		c.sample = len(t.Table.Words) - 1 // without the row of unknown words
	}
	var err error
	c.Model, err = t.Model(pool)
	return c, err
}

// OpenRun is Open of a run that has at least one whole epoch behind it.
func OpenRun(run *runs.Run, pool *ops.Pool) (Model, error) {
	t, err := infer.Read(run)
	if err != nil {
		return nil, err
	}
	return Open(t, pool)
}

// classifier is a Model that classifies.
type classifier struct {
	*infer.Model
	sample int // see Answer.Sample
}

// TooLongError says that a text has more words than a page asks such a model about.
type TooLongError struct{ Words, Most int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the text is too long: it has %d words, and this page asks a model of so many heads of self-attention about %d at most; exp attend takes any number", e.Words, e.Most)
}

// MostWords returns how many words a text may have, for each head weighs each pair of them.
func MostWords(heads []int, pairs float64) int {
	n := 0
	for _, h := range heads {
		n += h
	}
	return int(math.Sqrt(pairs / float64(max(n, 1))))
}

// Put implements Model.
func (c classifier) Put(q Question, pairs float64) (*Answer, error) {
	m := c.Model
	text := m.Encode(q.Text)
	if most := MostWords(m.Layers(), pairs); len(text.Rows) > most {
		return nil, &TooLongError{len(text.Rows), most}
	}
	b, err := m.Ask(text)
	if err != nil {
		return nil, err
	}
	attended, err := b.Look(0, text, infer.Look{Layer: q.Layer, Head: q.Head, Word: q.Word})
	if err != nil {
		return nil, err
	}
	a := &Answer{Classes: m.Classes, P: slices.Clone(b.P(0)), Class: b.Class(0), Words: b.Words(0), Unread: m.Unread(q.Text, text), Heads: append([]int{}, b.Layers()...), CLS: b.Front() > 0, Lacks: []string{}, Scores: []Scoring{}, Sample: c.sample}
	for _, p := range a.P {
		if math.IsNaN(float64(p)) || math.IsInf(float64(p), 0) {
			return nil, errors.New("it gives probabilities that are no numbers: its weights are not finite")
		}
	}
	a.attend(attended)
	a.pieces(q.Text, text, attended)
	explained, err := m.Explain(text, a.Class)
	if err != nil {
		return nil, err
	}
	a.explain(explained)
	a.offer(m)
	if lacks, kept, left, cut := m.LeftOut(text); cut {
		a.LeftOut = &LeftOut{lacks, kept, left}
	}
	return a, a.more(m, q, b, text)
}

// mostTerms is how many n-grams an answer lists.
const mostTerms = 10

func (a *Answer) explain(e *counts.Explanation) {
	if e == nil {
		return
	}
	x := &Explained{Above: a.Classes[e.For], Bias: e.Bias, Score: e.Score(), Terms: []Term{}, Count: len(e.Terms), Scale: scale()}
	if e.Against >= 0 {
		x.Below = a.Classes[e.Against]
	}
	for _, t := range e.Terms[:min(mostTerms, len(e.Terms))] {
		x.Terms = append(x.Terms, Term{t.Name, t.Sum, len(t.Places)})
	}
	ratios := infer.Ratios(e)
	for i, p := range a.Pieces {
		if p.Word > 0 {
			a.Pieces[i].Says, a.Pieces[i].Strength = e.Words[p.Word-1], infer.Strength(math.Abs(ratios[p.Word-1]))
		}
	}
	a.Explained = x
}

func scale() (out []Shade) {
	for _, n := range infer.Doublings {
		out = append(out, Shade{n, infer.Strength(float64(n))})
	}
	return out
}

func (a *Answer) attend(from *infer.Attended) {
	if from == nil {
		return
	}
	a.Attention = &Attention{What: from.What, Entropy: from.Entropy, Effective: infer.Effective(from.Entropy), CLS: from.CLS, Padding: from.Padding, Scale: scale()}
	if s := infer.Share(from.Entropy, from.Choices); !math.IsNaN(s) {
		a.Attention.Share = &s
	}
}

// pieces cuts the text at its words.
func (a *Answer) pieces(text string, e infer.Encoded, from *infer.Attended) {
	at := 0
	between := func(end int) {
		if end > at {
			a.Pieces = append(a.Pieces, TextPiece{Text: text[at:end]})
			at = end
		}
	}
	a.Pieces = []TextPiece{}
	for i, w := range e.Words {
		if !e.Known[i] {
			a.Unknown++
		}
		if w.Start < at || w.End <= w.Start {
			continue
		}
		between(w.Start)
		p := TextPiece{Text: text[w.Start:w.End], Word: i + 1, Unknown: !e.Known[i]}
		if from != nil {
			p.Weight = from.Weights[i]
			p.Strength = infer.Strength(float64(p.Weight) * float64(from.Choices))
		}
		a.Pieces = append(a.Pieces, p)
		at = w.End
	}
	between(len(text))
}
