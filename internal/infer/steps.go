package infer

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Steps are the intermediate numbers of a model's attention to one text, computed again in float64
// from the run's weights: the query, then for each of the n words (or with [CLS] before them)
// score, scaled score, softmax and value, and the weighted sum. For self-attention they belong to
// one head and one query word.
type Steps struct {
	Words []string `json:"words"` // [n]
	Known []bool   `json:"known"` // [n] it has a vector; [CLS] has one

	From    string      `json:"from"`    // description of the query, such as "the query of the review"
	Query   []float64   `json:"query"`   // [k]
	Scores  []float64   `json:"scores"`  // [n] query · key, or v·tanh(query + key)
	Scale   float64     `json:"scale"`   // of the scores
	Scaled  []float64   `json:"scaled"`  // [n] Scale · score
	Weights []float64   `json:"weights"` // [n] softmax
	Values  [][]float64 `json:"values"`  // [n, v]; nil if nothing is summed
	Sum     []float64   `json:"sum"`     // [v] Σ weight · value

	Additive bool   `json:"additive"` // the scores are v·tanh(query + key)
	By       string `json:"by"`       // the normaliser of the scaled scores
	Formula  string `json:"formula"`  // of a weight

	// Adds is the contribution of each word to each logit [n, C], and Bias is the rest [C]; nil
	// if the rest of the network is not linear.
	Adds [][]float64 `json:"adds"`
	Bias []float64   `json:"bias"`

	OverQueries bool `json:"over"` // slip.softmax_queries: the weights of a word add up to one over the queries

	Slip    string    `json:"slip"`    // functions applied to the logits, such as "a ReLU (slip.relu_logits)"; "" for none
	Logits  []float64 `json:"logits"`  // [C] computed in float64
	Network []float32 `json:"network"` // [C] of the network
}

// StepsWords is the maximum length of a text for Steps, which people read.
const StepsWords = 64

// Steps computes the attention to a short text step by step. For self-attention o chooses the
// layer, the head (by default 1) and the query word (by default [CLS], or the first word).
func (m *Model) Steps(text string, o Selection) (*Steps, error) {
	e := m.Encode(text)
	if Wordless(e.Words) {
		return nil, SelectionErrorf("the text has no words; use a short text, such as 'not a great film'")
	}
	if n := len(e.Rows); n > StepsWords {
		return nil, SelectionErrorf("the text has %d words; steps are shown for at most %d", n, StepsWords)
	}
	b, err := m.Ask(e)
	if err != nil {
		return nil, err
	}
	s := &Steps{Words: Texts(e.Words), Known: e.Known, Network: slices.Clone(b.Logits(0))}
	if b.front > 0 {
		s.Words, s.Known = append([]string{CLS}, s.Words...), append([]bool{true}, s.Known...)
	}
	r := &reader{Exact: ops.NewExact(), out: m.network.Output(), classes: m.network.Classes(), steps: s}
	if err := r.read(b, e, o); err != nil {
		return nil, err
	}
	return s, nil
}

// reader finds the steps of any model's attention in its graph: the op that attends, its query, its
// weights, and the use of the weighted sum.
type reader struct {
	*ops.Exact
	out     models.Output
	classes *models.Classes
	steps   *Steps
}

func (r *reader) read(b *Batch, e Encoded, o Selection) error {
	var mixing string // the setting of an op that mixes reviews
	ops.Walk(func(n *ops.Node) {
		if n.Op() == "slot norm" || n.Setting() == "norm.eval=batch" {
			mixing = n.Setting()
		}
	}, r.classes.Logits)
	var err error
	switch {
	case mixing != "":
		return SelectionErrorf("with %s a prediction depends on the other reviews of the batch, so there are no steps for one text", mixing)
	case b.Layers() != nil:
		err = r.layer(b, e, o)
	case o != (Selection{}):
		return SelectionErrorf("the model has no layers of self-attention to choose from")
	case r.classes.Members != nil:
		return SelectionErrorf("each of its %d networks has its own attention; use a run with members=1 for steps", len(r.classes.Members))
	case r.out.Attention == nil:
		return SelectionErrorf("the model has no attention, so it has no steps")
	default:
		err = r.words()
	}
	if err != nil {
		return err
	}
	return r.logits()
}

// noScores is the error for attention whose op does not show its scores.
func noScores(what string) error {
	return SelectionErrorf("this attention has no %s: attention=uniform and imposed weights have none, and an op of attention shows its own if it has the method weighing (CONTRIBUTING.md)", what)
}

// words reads attention with one query for each review, and the values that its weights sum.
func (r *reader) words() error {
	w, is, err := r.Weighing(r.out.Attention, 0, 0)
	if err != nil {
		return err
	}
	if !is {
		return noScores("steps")
	}
	r.steps.From = queryName(r.out.Attention.Inputs()[0])
	r.steps.keep(w, 0)
	sum := r.sum()
	if sum == nil {
		return nil
	}
	values, err := r.Value(sum.Inputs()[1])
	if err != nil {
		return err
	}
	total, err := r.Value(sum)
	r.steps.Values, r.steps.Sum = rows(values), total.Row(0)
	return err
}

// sum returns the op that sums values by the model's attention; nil if there is none.
func (r *reader) sum() (found *ops.Node) {
	ops.Walk(func(n *ops.Node) {
		if n.Op() == "weighted sum" && n.Inputs()[0].Same(r.out.Attention) {
			found = n
		}
	}, r.classes.Logits)
	return found
}

// layer reads one head of a layer of self-attention.
func (r *reader) layer(b *Batch, e Encoded, o Selection) error {
	heads := b.Layers()
	layer, head, err := Selection{Layer: o.Layer, Head: max(o.Head, 1)}.Choose(heads)
	if err != nil {
		return err
	}
	if o.Word == "" && b.front == 0 {
		o.Word = "1"
	} else if o.Word == "" {
		o.Word = CLS
	}
	place, name, err := b.query(0, e, o.Word)
	if err != nil {
		return err
	}
	w, _, err := r.Weighing(r.out.Layers[layer], 0, head)
	if err != nil {
		return err
	}
	s := r.steps
	s.From = fmt.Sprintf("the query of %s in layer %d of %d, head %d of %d", name, layer+1, len(heads), head+1, heads[layer])
	s.OverQueries = w.OverQueries
	s.keep(w, place)
	s.Values = rows(w.Values)
	s.Sum = make([]float64, w.Values.Cols)
	for i, weight := range s.Weights {
		for j, v := range s.Values[i] {
			s.Sum[j] += weight * v
		}
	}
	return nil
}

// keep stores the weights of one query and how they are computed.
func (s *Steps) keep(w ops.Weighing, query int) {
	s.Additive, s.By, s.Formula = w.Additive, w.By.String(), w.By.Formula()
	s.Query, s.Scores, s.Scale, s.Weights = w.Queries.Row(query), w.Scores.Row(query), w.Scale, w.Weights.Row(query)
	s.Scaled = make([]float64, len(s.Scores))
	for i, score := range s.Scores {
		s.Scaled[i] = w.Scale * score
	}
}

// named are the functions that may follow the logits, for messages.
var named = map[string]string{"relu": "a ReLU", "sigmoid": "a sigmoid", "tanh": "a tanh", "gelu": "a GELU"}

// logits computes the logits, lists the functions applied to them, and, for a linear classifier,
// computes the contribution of each word.
func (r *reader) logits() error {
	s := r.steps
	z, err := r.Value(r.classes.Logits)
	if err != nil {
		return err
	}
	s.Logits = z.Row(0)
	var through []string
	end := r.classes.Logits
	for ; named[end.Op()] != ""; end = end.Inputs()[0] {
		what := named[end.Op()]
		if by := end.Setting(); by != "" {
			what += " (" + by + ")"
		}
		through = append(through, what)
	}
	slices.Reverse(through)
	s.Slip = strings.Join(through, ", then ")
	if sum := r.sum(); through != nil || sum == nil || r.out.Layers != nil || end.Op() != "linear" || !end.Inputs()[0].Same(sum) {
		return nil
	}
	return r.adds(end.Inputs()[1:])
}

// adds computes the contribution of each word to the logits by the weights of the classifier.
func (r *reader) adds(classifier []*ops.Node) error {
	s := r.steps
	w, err := r.Value(classifier[0])
	if err != nil {
		return err
	}
	s.Bias = make([]float64, w.Cols)
	if len(classifier) > 1 {
		b, err := r.Value(classifier[1])
		if err != nil {
			return err
		}
		s.Bias = b.Data
	}
	for i, values := range s.Values {
		row := make([]float64, w.Cols)
		for j, v := range values {
			for c, weight := range w.Row(j) {
				row[c] += s.Weights[i] * v * weight
			}
		}
		s.Adds = append(s.Adds, row)
	}
	return nil
}

// queryName returns a description of a query.
func queryName(query *ops.Node) string {
	for slices.Contains([]string{"linear", "relu", "tanh", "sigmoid", "gelu", "scale", "spread"}, query.Op()) {
		query = query.Inputs()[0]
	}
	if query.IsWeight() {
		return "the one learned query"
	}
	return "the query of the review"
}

func rows(m ops.Mat64) [][]float64 {
	out := make([][]float64, m.Rows)
	for i := range out {
		out[i] = m.Row(i)
	}
	return out
}
