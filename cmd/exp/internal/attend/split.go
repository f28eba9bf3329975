package attend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

var splitNames = []string{"test", "train"}

// writeSplit writes the weights, or another score, of all reviews of a split.
func writeSplit(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	score := scores.Named(o.by)
	asker := scores.New(m, scoreSeed)
	defer asker.Close()
	corpus, readings, err := readSplit(ctx, a, run, m, o.split, o.look)
	if err != nil {
		return err
	}
	err = cli.WriteTo(a.IO, o.out, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		write := jsonLines(out, corpus)
		before := 0
		for list, err := range readings {
			if err == nil && o.by != scores.Attention {
				err = replaceAttention(ctx, asker, score, list, before)
			}
			before += len(list)
			for i := range list {
				if err == nil {
					err = write(&list[i])
				}
			}
			if err != nil {
				return lacking(run, err)
			}
		}
		return out.Flush()
	})
	if err == nil && o.out != "" && o.out != "-" {
		fmt.Fprintln(a.IO.Err, "wrote", o.out)
	}
	return err
}

// Line is a line of --split, or a text of --format json.
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

// print writes the texts in a format for programs: json or tsv.
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
