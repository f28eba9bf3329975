package infer

import (
	"math"
	"strings"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/models/counts"
)

// View is a text as a model sees it: what it predicts and where it looks.
type View struct {
	Prediction                     // Weights are those of Attended
	Attended   *Attended           // nil for a model without attention
	Left       []LeftWord          // words of the text that the model does not see, in order
	Ratio      []float64           // [n] weight × choices: how often more than if all places were alike; of a score that has signs with its sign
	Scored     bool                // the weights are a score that is no attention (Show), and
	Signed     bool                // one that has signs
	Explained  *counts.Explanation // of a model that counts n-grams; nil for others. Ratio is then of what each word's n-grams say, with its sign
	Mean       float64             // of the entropies of all layers and heads in nats, as the run's predictions have it; NaN without
	slipped    bool                // slip.rank_words
}

// LeftWord is a word that a model leaves out: masked for want of a vector where
// oov=masked, else beyond data.max_len.
type LeftWord struct {
	token.Token
	Masked bool
}

// View asks the model about a text and looks where o says.
func (m *Model) View(text string, o Look) (*View, error) {
	e := m.Encode(text)
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	return m.view(b, 0, e, text, o)
}

func (m *Model) view(b *Batch, i int, e Encoded, text string, o Look) (*View, error) {
	p := m.unweighed(b, i, e)
	v := &View{Prediction: *p, Mean: float64(b.Entropy(i)), slipped: p.ranks}
	v.ranks = false
	var err error
	if v.Attended, err = b.Look(i, e, o); err != nil {
		return nil, err
	}
	if a := v.Attended; a != nil {
		v.Weights = a.Weights
		for _, w := range a.Weights {
			v.Ratio = append(v.Ratio, float64(w)*float64(a.Choices))
		}
	}
	if m.scorer != nil {
		if v.Explained, err = m.explain(e, v.Class); err != nil {
			return nil, err
		}
		v.Ratio = Ratios(v.Explained)
	}
	next := 0
	m.tokenizer.Split(text, func(word []byte, start, end int) {
		for next < len(e.Words) && strings.Contains(e.Words[next].Word, " ") { // an n-gram of words before
			next++
		}
		if next < len(e.Words) && e.Words[next].Start == start && e.Words[next].Word == string(word) {
			next++
			return
		}
		masked := m.table.Policy == embedding.OOVMasked && m.row(string(word)) == embedding.OOVRow
		v.Left = append(v.Left, LeftWord{token.Token{Word: string(word), Start: start, End: end}, masked})
	})
	return v, nil
}

// Show puts a score of each word [n], which what names, in the place of the attention.
// A signed one is above 0 where the word speaks for the class predicted.
func (v *View) Show(score []float32, what string, signed bool) {
	n, total := len(score), 0.0
	for _, s := range score {
		total += math.Abs(float64(s))
	}
	share := make([]float64, n)
	v.Weights, v.Ratio, v.Signed, v.Mean = score, make([]float64, n), signed, math.NaN()
	v.Scored = true
	for i, s := range score {
		if total > 0 {
			share[i] = math.Abs(float64(s)) / total
			v.Ratio[i] = float64(s) / total * float64(n)
		}
	}
	v.Attended = &Attended{Weights: score, Choices: n, Entropy: Entropy(share), What: what}
}

// Top is that of the prediction; of a score that Show has put there by its size.
func (v *View) Top(n int) []int {
	if !v.Signed {
		return v.Prediction.Top(n)
	}
	size := Prediction{Weights: make([]float32, len(v.Weights))}
	for i, w := range v.Weights {
		size.Weights[i] = max(w, -w)
	}
	return size.Top(n)
}

// Lacks reports whether a text has words without a vector.
func (m *Model) Lacks(text string) bool {
	lacks := false
	m.tokenizer.Split(text, func(word []byte, _, _ int) {
		lacks = lacks || m.row(string(word)) == embedding.OOVRow
	})
	return lacks
}

// Slipped returns what the original showed instead of the n words with the largest
// weights (slip.rank_words): the ranks of the first n words, taken for positions.
// It is nil for a run without the slip.
func (v *View) Slipped(n int) []int {
	if !v.slipped {
		return nil
	}
	p := v.Prediction
	p.ranks = true
	return p.Top(n)
}

// strongest is the ratio that gets the full shade.
const strongest = 32

// Doublings are the ratios that legends show.
var Doublings = []int{2, 4, 8, 16, strongest}

// Ratios returns of each word how often more than its equal share of all that the n-grams of
// a text say it has, below 0 where that is against the class that they are explained for.
func Ratios(e *counts.Explanation) []float64 {
	all, out := 0.0, make([]float64, len(e.Words))
	for _, w := range e.Words {
		all += math.Abs(w)
	}
	for i, w := range e.Words {
		if all > 0 {
			out[i] = w / all * float64(len(e.Words))
		}
	}
	return out
}

// Strength returns how strongly a weight is to be shown, from 0 to 1, by its ratio
// to a weight that all places share alike: 0 up to that, then the same step for
// each doubling, to 32 times as much. It does not depend on the text, so that
// texts and models can be compared by their shades.
func Strength(ratio float64) float64 {
	if !(ratio > 1) {
		return 0
	}
	return min(1, math.Log2(ratio)/math.Log2(strongest))
}

// Effective returns over how many places alike an entropy h in nats would be
// spread: e^h, the perplexity.
func Effective(h float64) float64 { return math.Exp(h) }

// Share returns an entropy as a share of the largest possible one, log n; NaN for a
// single place.
func Share(h float64, n int) float64 {
	if n < 2 {
		return math.NaN()
	}
	return h / math.Log(float64(n))
}
