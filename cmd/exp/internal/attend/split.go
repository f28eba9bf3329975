package attend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sbinet/npyio/npz"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

var splitNames, splitFormats = []string{"test", "train"}, []string{"jsonl", "npz"}

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

// Line is a line of --format jsonl.
type Line struct {
	ID        string             `json:"id"`
	Label     *string            `json:"label"` // null if unknown
	Predicted string             `json:"predicted"`
	P         map[string]float32 `json:"p"`
	Words     []string           `json:"words"`
	Weights   []float32          `json:"weights"` // one for each word; with cls and padding they add up to one
	CLS       float32            `json:"cls,omitempty"`
	Padding   float32            `json:"padding,omitempty"`
	Entropy   float32            `json:"entropy"` // in nats
}

func jsonLines(w io.Writer, c *dataset.Corpus) func(*infer.Reading) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(r *infer.Reading) error {
		l := Line{
			ID: r.ID, Predicted: c.Classes[r.Class], P: map[string]float32{}, Words: make([]string, len(r.Words)),
			Weights: r.Attended.Weights[:len(r.Words)], CLS: r.Attended.CLS, Padding: r.Attended.Padding, Entropy: float32(r.Attended.Entropy),
		}
		if r.Label >= 0 {
			l.Label = &c.Classes[r.Label]
		}
		for i, p := range r.P {
			l.P[c.Classes[i]] = p
		}
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
