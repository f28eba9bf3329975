package translator

import (
	"encoding/json"
	"fmt"

	"imdbexp/dataset/pairs"
	"imdbexp/internal/infer"
	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models/translate"
)

// ONNX returns the model of a run that translates as a graph that scores the next
// words of translations begun:
//
//	source             int64 [batch, source words]  then −1 up to the longest
//	target             int64 [batch, rows]          BeginID and the words so far, then −1
//	log_probabilities  float [batch, rows, V]       of the word behind each of these
//	alignment          float [batch, rows, source words]  the last layer's attention, the mean of its heads; where there is one
//
// A translation is written by asking for the last row again and again, with the
// likeliest word behind the ones before, until EndID. Vocabularies and ids are in the
// metadata. Bahdanau's decoder is an error: it looks at the source inside its recurrence,
// for which ONNX has no operator.
func (t *Model) ONNX() (*onnx.Model, error) {
	m, err := t.onnx()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.label, err)
	}
	return m, nil
}

func (t *Model) onnx() (*onnx.Model, error) {
	f, err := translate.NewForced(t.spec)
	if err != nil {
		return nil, err
	}
	x := ops.NewExport(t.config.Name)
	x.Words("source", "source_words", "words as rows of the source's vocabulary, then -1 up to the longest sentence", f.Source)
	x.Words("target", "rows", "begin-of-sentence and the words written so far, then -1", f.Target)
	batch, rows := onnx.Dim{Name: "batch"}, onnx.Dim{Name: "rows"}
	x.Output("log_probabilities", x.Name(f.Scores), onnx.Float, "of the next word", batch, rows, onnx.Dim{Size: int64(t.target.Len())})
	if n := len(f.Layers); n > 0 {
		x.Output("alignment", x.Alignment(f.Layers[n-1]), onnx.Float, "how much each row looks at each source word", batch, rows, onnx.Dim{Name: "source_words"})
	}
	if err := x.Err(); err != nil {
		return nil, fmt.Errorf("%w; exp predict translates with the run's folder", err)
	}
	facts := map[string]string{"tokenizer": t.tokenizer.Name()}
	for name, value := range map[string]any{
		"source_vocabulary": everyWord(t.source), "target_vocabulary": everyWord(t.target),
		"begin_id": ragged.BeginID, "end_id": ragged.EndID,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		facts[name] = string(text)
	}
	if facts["config"], err = infer.ConfigJSON(&t.config); err != nil {
		return nil, err
	}
	return infer.GraphOf(x, t.label, t.Epoch, facts), nil
}

// everyWord returns the words of all ids.
func everyWord(w *pairs.Words) []string {
	out := make([]string, w.Len())
	for id := range out {
		out[id] = w.Word(int32(id))
	}
	return out
}
