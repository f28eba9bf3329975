package models

import (
	"errors"

	"imdbexp/internal/ops"
)

// Positions adds the position of each word, which attention alone ignores. Encodings are added
// once, before the first layer.
type Positions struct {
	Kind string  `key:"positions" default:"none" choices:"none|sinusoid|halves|learned" help:"sinusoid: sine and cosine in turn (Vaswani et al.); halves: all sines, then all cosines (Tensor2Tensor); learned: a vector for each position"`
	Base float64 `key:"positions.base" default:"10000" min:"1.001" max:"1e9" needs:"positions=sinusoid|halves" help:"of sinusoid and halves: 10000 in the paper, 1000 in the course's slides"`
	Join string  `key:"positions.join" default:"sum" choices:"sum|concat" needs:"positions=sinusoid|halves" help:"of sinusoid and halves: added to the words, or appended to them, with the same width"`
	Max  int     `key:"positions.max" default:"513" min:"1" max:"65536" needs:"positions=learned" help:"of learned: number of positions; longer reviews are an error"`
}

func (p *Positions) check() error {
	if p.Base != 10000 && p.Kind != "sinusoid" && p.Kind != "halves" {
		return errors.New("positions.base needs positions=sinusoid or halves")
	}
	return nil
}

// add returns x with its positions.
func (p *Positions) add(b *Builder, x *ops.Node) *ops.Node {
	layout := ops.Interleaved
	switch p.Kind {
	case "sinusoid":
	case "halves":
		layout = ops.Halves
	case "learned":
		return ops.AddPositions(x, b.Weight("positions", p.Max, x.Cols(), x.Cols()))
	default:
		return x
	}
	if p.Join == "concat" {
		return ops.JoinSinusoid(x, x.Cols(), p.Base, layout)
	}
	return ops.Sinusoid(x, p.Base, layout)
}
