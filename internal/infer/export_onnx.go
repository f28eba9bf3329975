package infer

import (
	"fmt"
	"maps"
	"slices"

	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
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
// Attention and entropy are defined as in Batch. A single text is a batch of one, which
// needs no padding; a text of padding alone counts as one word without a vector, as
// everywhere in this program. How a text becomes ids and which word has which id is
// in the metadata. A model whose word on a text depends on the other texts of its
// batch is an error that names the setting.
func (t *Trained) ONNX() (*onnx.Model, error) {
	if t.Config.Counts() {
		return nil, fmt.Errorf("%s: %sONNX cannot run it; exp export without --onnx writes its n-grams and weights", t.Label(), NoGraph)
	}
	if w := t.Config.Setting("wide"); w != "" && w != "none" {
		return nil, fmt.Errorf("%s: wide=%s: %sONNX cannot run the second input of the classifier; exp export without --onnx writes all of it", t.Label(), w, NoGraph)
	}
	m, err := t.onnx()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return m, nil
}

func (t *Trained) onnx() (*onnx.Model, error) {
	m, err := t.rebuild(nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	x := ops.NewExport(t.Config.Name)
	t.outputs(x, m.network)
	if err := x.Err(); err != nil {
		return nil, fmt.Errorf("%w; export it without --onnx", err)
	}
	facts, err := t.metadata()
	if err != nil {
		return nil, err
	}
	facts["vocabulary"], facts["pad_id"] = string(t.Vocabulary()), fmt.Sprint(PadID)
	out := &onnx.Model{Producer: "imdbexp", Doc: fmt.Sprintf("%s, epoch %d", t.Label(), t.Epoch), Graph: x.Graph}
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		out.Metadata = append(out.Metadata, onnx.Entry{Key: key, Value: facts[key]})
	}
	return out, nil
}

// outputs adds the inputs and outputs of the network to the graph.
func (t *Trained) outputs(x *ops.Export, n *models.Network) {
	words, made := n.Words(), n.Output()
	x.Words("ids", "words", "words as rows of the vocabulary, then -1 up to the longest text", words.Axis().(*ops.Seq))
	x.Bind(words, vectorsTensor, t.Table.Rows)

	batch, classes := onnx.Dim{Name: "batch"}, onnx.Dim{Size: int64(len(t.Config.Classes))}
	x.Output("logits", x.Name(n.Classes().Logits), onnx.Float, "before the softmax", batch, classes)
	x.Output("probabilities", x.Softmax(n.Classes().Logits), onnx.Float, "of the classes", batch, classes)
	var attention, entropy string
	switch {
	case made.Attention != nil:
		attention = x.Column(made.Attention)
		if made.Entropy != nil {
			entropy = x.Column(made.Entropy)
		}
	case made.Layers != nil:
		front := made.Words.Axis() != words.Axis()
		attention, entropy = x.Received(made.Layers[len(made.Layers)-1], front), x.Mean(made.Layers)
	default:
		return
	}
	x.Output("attention", attention, onnx.Float, "of each word, 0 for padding", batch, onnx.Dim{Name: "words"})
	if entropy == "" { // the model does not say
		return
	}
	x.Output("entropy", entropy, onnx.Float, "of the attention, in nats", batch)
}
