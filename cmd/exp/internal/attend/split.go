package attend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npz"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// The formats of --format: of --split and of texts.
var splitNames, splitFormats, textFormats = []string{"test", "train"}, []string{"jsonl", "npz"}, []string{"text", "json", "tsv"}

// writeSplit writes the weights, or another score, of all reviews of a split.
func writeSplit(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	toFile := o.out != "" && o.out != "-"
	if o.format == "npz" && !toFile && a.IO.Terminal() {
		return cli.Usage(errors.New("npz is binary: use --out FILE, or > FILE"))
	}
	score := scores.Named(o.by)
	asker := scores.New(m, scoreSeed)
	defer asker.Close()
	corpus, readings, err := readSplit(ctx, a, run, m, o.split, o.look)
	if err != nil {
		return err
	}
	err = cli.WriteTo(a.IO, o.out, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		see, end := jsonLines(out, corpus), out.Flush
		if o.format == "npz" {
			z := newArrays(corpus)
			see, end = z.add, func() error { return errors.Join(z.write(out), out.Flush()) }
		}
		before := 0
		for list, err := range readings {
			if err == nil && o.by != scores.Attention {
				err = replaceAttention(ctx, asker, score, list, before)
			}
			before += len(list)
			for i := range list {
				if err == nil {
					err = see(&list[i])
				}
			}
			if err != nil {
				return lacking(run, err)
			}
		}
		return end()
	})
	if err == nil && toFile {
		fmt.Fprintln(a.IO.Err, "wrote", o.out)
	}
	return err
}

// Line is a line of --format jsonl, or a text of --format json.
type Line struct {
	ID        string             `json:"id"`
	Label     *string            `json:"label"` // null if unknown
	Predicted string             `json:"predicted"`
	P         map[string]float32 `json:"p"`
	Words     []string           `json:"words"`
	Weights   []float32          `json:"weights"` // one for each word; with cls and padding they add up to one; null without attention
	CLS       float32            `json:"cls,omitempty"`
	Padding   float32            `json:"padding,omitempty"`
	Entropy   *float32           `json:"entropy"` // in nats
	Flip      []string           `json:"flip,omitempty"`
}

// newLine returns a line without its words and weights.
func newLine(classes []string, id string, label, predicted int, p []float32, a *infer.Attended) Line {
	l := Line{ID: id, Predicted: classes[predicted], P: map[string]float32{}}
	if label >= 0 && label < len(classes) {
		l.Label = &classes[label]
	}
	for i, x := range p {
		l.P[classes[i]] = x
	}
	if a != nil {
		entropy := float32(a.Entropy)
		l.CLS, l.Padding, l.Entropy = a.CLS, a.Padding, &entropy
	}
	return l
}

// print writes the texts for programs.
func (s *shown) print(io *term.IO, format string) error {
	var lines []Line
	table := term.Records{{"text", "id", "place", "word", "weight"}}
	for n, x := range s.list {
		v := x.view
		l := newLine(s.m.Classes, x.ID, x.Label, v.Class, v.P, v.Attended)
		l.Words, l.Weights, l.Flip = make([]string, len(v.Words)), v.Weights, x.found
		if v.Explained != nil {
			for _, share := range v.Explained.Words {
				l.Weights = append(l.Weights, float32(share))
			}
		}
		for i, w := range v.Words {
			l.Words[i] = w.Word
			weight := ""
			if i < len(l.Weights) {
				weight = strconv.FormatFloat(float64(l.Weights[i]), 'g', -1, 32)
			}
			table = append(table, []string{strconv.Itoa(n + 1), x.ID, strconv.Itoa(i + 1), w.Word, weight})
		}
		lines = append(lines, l)
	}
	if format == "json" {
		return cli.WriteJSON(io.Verbatim(), lines)
	}
	return table.Write(io.Verbatim(), format)
}

func jsonLines(w io.Writer, c *dataset.Corpus) func(*infer.Reading) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(r *infer.Reading) error {
		l := newLine(c.Classes, r.ID, r.Label, r.Class, r.P, r.Attended)
		l.Words, l.Weights = make([]string, len(r.Words)), r.Attended.Weights[:len(r.Words)]
		if len(r.Words) == 0 && len(r.Attended.Weights) == 1 { // the empty word that the model reads instead
			l.Words, l.Weights = []string{""}, r.Attended.Weights
		}
		for i, id := range r.Words {
			l.Words[i] = c.Vocab.Word(id)
		}
		return out.Encode(l)
	}
}

// arrays collects the arrays of --format npz. An array begins with its length, so nothing
// can be written before the end. It takes eight bytes a word.
type arrays struct {
	corpus            *dataset.Corpus
	weights           []float32
	words             []int32
	offsets           []int64
	labels, predicted []int32
	entropies         []float32
	ids               []string
}

func newArrays(c *dataset.Corpus) *arrays { return &arrays{corpus: c, offsets: []int64{0}} }

func (z *arrays) add(r *infer.Reading) error {
	z.weights = append(z.weights, r.Attended.Weights[:len(r.Words)]...)
	z.words = append(z.words, r.Words...)
	z.offsets = append(z.offsets, int64(len(z.words)))
	z.labels, z.predicted = append(z.labels, int32(r.Label)), append(z.predicted, int32(r.Class))
	z.entropies, z.ids = append(z.entropies, float32(r.Attended.Entropy)), append(z.ids, r.ID)
	return nil
}

func (z *arrays) write(w io.Writer) error {
	out := npz.NewWriter(w)
	for _, x := range []struct {
		name  string
		array any
	}{
		{"weights", z.weights}, {"word_ids", z.words}, {"offsets", z.offsets}, {"labels", z.labels}, {"predicted", z.predicted},
		{"entropies", z.entropies}, {"ids", lines(z.ids)}, {"classes", lines(z.corpus.Classes)}, {"vocabulary", lines(z.corpus.Vocab.Words())},
	} {
		if err := out.Write(x.name+".npy", x.array); err != nil {
			return err
		}
	}
	return out.Close()
}

// lines joins texts by line ends, as bytes. NumPy's arrays of texts would pad each one to
// the longest.
func lines(texts []string) []byte {
	flat := strings.NewReplacer("\n", " ")
	var out []byte
	for i, t := range texts {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, flat.Replace(t)...)
	}
	return out
}
