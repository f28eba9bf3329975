package infer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"imdbexp/internal/onnx"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// PadID fills up the shorter texts of a batch for an exported graph; any negative
// id does.
const PadID = -1

// ONNX returns the model as a graph whose input is a batch of texts as rows of the
// vocabulary:
//
//	ids            int64 [batch, words]   each text's words, then −1 up to the longest
//	logits         float [batch, C]
//	probabilities  float [batch, C]
//	attention      float [batch, words]   adding up to one, 0 at the padding; where the model has any
//	entropy        float [batch]          of the attention, in nats
//
// Attention and entropy are those of Batch. A single text is a batch of one, which
// needs no padding; a text of padding alone counts as one word without a vector, as
// everywhere in this program. How a text becomes ids and which word has which id is
// in the metadata. A model whose word on a text depends on the other texts of its
// batch is an error that names the setting.
func (t *Trained) ONNX() (*onnx.Model, error) {
	m, err := t.onnx()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return m, nil
}

func (t *Trained) onnx() (*onnx.Model, error) {
	model, err := t.model(new(settings.Run))
	if err != nil {
		return nil, err
	}
	g := &graph{trained: t}
	g.Graph.Name = t.Config.Name
	g.begin()
	out, err := g.model(model)
	if err = errors.Join(err, g.err, g.Err()); err != nil {
		return nil, err
	}
	g.finish(out)
	m := &onnx.Model{Producer: "imdbexp", Doc: t.Label() + ", epoch " + fmt.Sprint(t.Epoch), Graph: g.Graph}
	facts, err := t.metadata()
	if err != nil {
		return nil, err
	}
	vocabulary, err := t.Vocabulary()
	if err != nil {
		return nil, err
	}
	facts["vocabulary"], facts["pad_id"] = string(vocabulary), fmt.Sprint(PadID)
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		m.Metadata = append(m.Metadata, onnx.Entry{Key: key, Value: facts[key]})
	}
	return m, nil
}

// graph is a model being rebuilt from ONNX's operators. Texts are padded there:
// B texts of up to n words, and a mask of the words that are none.
type graph struct {
	onnx.Builder
	trained *Trained
	err     error // the first

	words   string // vectors [B, n, d]
	mask    string // bool [B, n]: a word, not padding
	present string // the same as 0 and 1 [B, n, 1]
	lengths string // int64 [B, 1], at least 1
	longest string // int64: n
	places  string // int64 [n]: 0 … n−1
}

// output is what a model makes of a batch; attention and entropy may be "".
type output struct{ logits, attention, entropy string }

// begin looks up the words.
func (g *graph) begin() {
	batch, words := onnx.Dim{Name: "batch"}, onnx.Dim{Name: "words"}
	ids := g.Input("ids", onnx.Int64, "words as rows of the vocabulary, then -1 up to the longest text", batch, words)
	zero, one := g.Constant("zero", []int64{0}), g.Constant("one", []int64{1})

	known := g.cast(g.Op("GreaterOrEqual", ids, zero), onnx.Int64)
	g.lengths = g.Op("Max", g.sum(known, 1, true), one)
	g.longest = g.Op("Squeeze", g.size(ids, 1))
	g.measure()

	rows := g.Op("Max", ids, zero)
	table := g.trained.Table
	vectors := g.Constant(vectorsTensor, table.Rows, len(table.Rows)/table.Dim, table.Dim)
	g.words = g.Op("Gather", vectors, rows)
}

// measure says which words are there, from the lengths.
func (g *graph) measure() {
	g.places = g.Op("Range", g.Constant("zero", []int64{0}), g.longest, g.Constant("one", []int64{1}))
	g.mask = g.Op("Less", g.places, g.lengths)
	g.present = g.Op("Unsqueeze", g.cast(g.mask, onnx.Float), g.axes(2))
}

// finish names the outputs.
func (g *graph) finish(out output) {
	batch, classes := onnx.Dim{Name: "batch"}, onnx.Dim{Size: int64(len(g.trained.Config.Classes))}
	g.Output("logits", out.logits, onnx.Float, "before the softmax", batch, classes)
	g.Output("probabilities", g.softmax("Softmax", out.logits, 1), onnx.Float, "of the classes", batch, classes)
	if out.attention != "" {
		g.Output("attention", out.attention, onnx.Float, "of each word, 0 for padding", batch, onnx.Dim{Name: "words"})
	}
	if out.entropy != "" {
		g.Output("entropy", out.entropy, onnx.Float, "of the attention, in nats", batch)
	}
}

// model rebuilds the model by its kind, as its Build in package models does.
func (g *graph) model(model models.Model) (output, error) {
	switch m := model.(type) {
	case *models.Mean:
		return output{logits: g.classify(m.Head, g.mean(g.words))}, nil
	case *models.Simple:
		a, h := g.attend(g.weight("q"), g.words)
		return output{g.classify(m.Head, g.weighted(a, g.words)), a, h}, nil
	case *models.Query:
		a, h := g.attend(g.query(g.words), g.words)
		return output{g.classify(m.Head, g.weighted(a, g.words)), a, h}, nil
	case *models.Values:
		a, h := g.attend(g.query(g.words), g.words)
		return output{g.classify(m.Head, g.values(m.Value, a, g.words)), a, h}, nil
	case *models.LSTM:
		return g.tme9LSTM(m), nil
	case *models.Additive:
		return g.additive(m), nil
	case *models.Luong:
		return g.luong(m), nil
	case *models.Self:
		return g.self(m)
	case *models.MultiHead:
		return g.multiHead(m), nil
	case *models.Transformer:
		return g.transformer(m), nil
	}
	return output{}, fmt.Errorf("model %s: no graph is known for it; without --onnx it can be exported", g.trained.Config.Model)
}

// query is the linear map of the mean that makes a query of each text's own.
func (g *graph) query(keys string) string { return g.linear("query", g.mean(keys)) }

// values is Σᵢ αᵢ v(xᵢ) [B, d].
func (g *graph) values(v models.Value, attention, x string) string {
	if v.Activation == "none" { // commutes with the sum
		return g.linear("value", g.weighted(attention, x))
	}
	return g.weighted(attention, g.activate(v.Activation, g.linear("value", x)))
}

// classify is the end of every model; dropout is for training.
func (g *graph) classify(h models.Head, t string) string {
	z := g.linear("out", t)
	if h.ReLULogits {
		z = g.Op("Relu", z)
	}
	return z
}
