package attend

import (
	"encoding/json"
	"io"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/internal/ops"
)

// LooksLine is a sentence with the weights of a translator's attentions:
// [layer][head][row][column].
type LooksLine struct {
	Source      []string        `json:"source"`
	Translation []string        `json:"translation"`
	Score       float64         `json:"score"`
	Alignment   [][][][]float32 `json:"alignment,omitempty"`
	Encoder     [][][][]float32 `json:"encoder,omitempty"`
	Decoder     [][][][]float32 `json:"decoder,omitempty"`
}

// writeLooks writes the weights of all attentions of a translation, or of the one named by --of.
func writeLooks(a *cli.App, s *translator.Sentence, o options) error {
	line := LooksLine{Translation: append([]string{}, s.Words...), Score: s.LogProb}
	for _, w := range s.Source {
		line.Source = append(line.Source, w.Word)
	}
	for _, kind := range []struct {
		of   string
		from [][]ops.Mat
		to   *[][][][]float32
	}{{translator.OfSource, s.Alignment, &line.Alignment}, {translator.OfEncoder, s.Encoder, &line.Encoder}, {translator.OfDecoder, s.Decoder, &line.Decoder}} {
		if o.of == "" || o.of == kind.of {
			*kind.to = nested(kind.from)
		}
	}
	return cli.WriteTo(a.IO, o.out, func(w io.Writer) error { return json.NewEncoder(w).Encode(line) })
}

func nested(layers [][]ops.Mat) (out [][][][]float32) {
	for _, heads := range layers {
		var layer [][][]float32
		for _, m := range heads {
			var rows [][]float32
			for i := range m.Rows {
				rows = append(rows, m.Row(i))
			}
			layer = append(layer, rows)
		}
		out = append(out, layer)
	}
	return out
}
