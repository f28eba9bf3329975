package scores

import (
	"context"
	"math"

	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
)

var integrated = Score{
	Name: Integrated, Title: "integrated gradients", Signed: true, Source: "Sundararajan, Taly and Yan 2017",
	Definition: "xᵢ·∫∂m/∂xᵢ along the straight line from zero vectors to the text's vectors. The values of the words add up to the gain of the margin on the way (completeness).",
	needs:      vectors,
	compute:    integrate,
}

// Completeness measures how far the sums of integrated gradients are from the differences
// of margins that they distribute.
type Completeness struct {
	Texts      int
	Error, All float64 // Σ |Σᵢ sᵢ − (m(x) − m(0))| and Σ |m(x) − m(0)|
	Worst      float64 // largest single error
	Steps      int     // points evaluated, over all texts
}

// Share is the error relative to the differences, over all texts.
func (c Completeness) Share() float64 { return c.Error / c.All }

// lobatto is the Gauss–Lobatto rule with seven points on [0, 1]. It includes both ends and
// is exact for polynomials of degree 11 (Abramowitz and Stegun 1964, section 25.4.32).
var lobatto = func() (list [7]struct{ at, weight float64 }) {
	root := float64(2.0 / 11 * math.Sqrt(5.0/3))
	near, far := math.Sqrt(5.0/11-root), math.Sqrt(5.0/11+root)
	x := [7]float64{-1, -far, -near, 0, near, far, 1}
	root = float64(7 * math.Sqrt(15))
	outer, inner := (124-root)/350, (124+root)/350
	w := [7]float64{1.0 / 21, outer, inner, 256.0 / 525, inner, outer, 1.0 / 21}
	for i := range list {
		list[i].at, list[i].weight = (1+x[i])/2, w[i]/2
	}
	return list
}()

const (
	// A stretch is halved if its sum is off by more than this share of the text's whole
	// difference of margins, or of minMargin if that is larger.
	completeWithin, minMargin = 0.002, 0.05
	// The margin of an overfitted model can have cliffs, which no number of halvings smooths.
	maxHalvings = 20
	// stretchWords limits the words of the stretches evaluated at once.
	stretchWords = 1 << 13
)

// stretch is a part of the line from zero (0) to a text's vectors (1).
type stretch struct {
	text     int
	from, to float64
	halved   int
}

func (s stretch) length() float64 { return s.to - s.from }

// integrate integrates over all words of a text at once. The margins at the ends of a
// stretch give the sum that it must have; a stretch is halved until its sum is close.
func integrate(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
	n := len(texts)
	sums, ends := make([][]float64, n), make([][2]float64, n)
	pending := make([]stretch, n)
	for i, t := range texts {
		sums[i], pending[i] = make([]float64, len(t.Rows)), stretch{text: i, to: 1}
	}
	for len(pending) > 0 {
		count := 1
		for words := len(texts[pending[0].text].Rows); count < len(pending); count++ {
			if words += len(texts[pending[count].text].Rows); words > stretchWords {
				break
			}
		}
		now := pending[:count]
		pending = pending[count:]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts, margins, err := a.stretches(texts, now)
		if err != nil {
			return nil, err
		}
		a.Complete.Steps += len(now) * len(lobatto)
		for k, s := range now {
			if s.halved == 0 {
				ends[s.text] = margins[k]
			}
			total := 0.0
			for _, v := range parts[k] {
				total += v
			}
			off := math.Abs(total - (margins[k][1] - margins[k][0]))
			whole := math.Abs(ends[s.text][1] - ends[s.text][0])
			if off > completeWithin*max(whole, minMargin) && s.halved < maxHalvings {
				middle := s.from + s.length()/2
				pending = append(pending, stretch{s.text, s.from, middle, s.halved + 1}, stretch{s.text, middle, s.to, s.halved + 1})
				continue
			}
			for j, v := range parts[k] {
				sums[s.text][j] += v
			}
		}
	}
	out := make([][]float32, n)
	for i, list := range sums {
		total := 0.0
		for _, v := range list {
			total += v
		}
		out[i] = infer.Float32s(list)
		difference := ends[i][1] - ends[i][0]
		e := math.Abs(total - difference)
		c := &a.Complete
		c.Texts++
		c.Error += e
		c.All += math.Abs(difference)
		c.Worst = max(c.Worst, e)
	}
	return out, nil
}

// stretches returns what each stretch adds to the score of each word of its text, and the
// margins at its ends.
func (a *Asker) stretches(texts []Text, list []stretch) (parts [][]float64, margins [][2]float64, err error) {
	g, err := a.network(false)
	if err != nil {
		return nil, nil, err
	}
	m, d := a.model, a.model.Dim()
	parts, margins = make([][]float64, len(list)), make([][2]float64, len(list))
	begin, words := make([]int, len(list)), 0
	for k, s := range list {
		begin[k] = words
		words += len(texts[s.text].Rows)
		parts[k] = make([]float64, len(texts[s.text].Rows))
	}
	whole, asked := make([]float32, 0, words*d), make([]infer.Encoded, len(list))
	for _, s := range list {
		for _, r := range texts[s.text].Rows {
			whole = append(whole, m.Vector(r)...)
		}
	}
	err = m.WithVectors(whole, func(first int32, moved []float32) error {
		for k := range asked {
			asked[k].Rows = make([]int32, len(parts[k]))
			for j := range asked[k].Rows {
				asked[k].Rows[j] = first + int32(begin[k]+j)
			}
		}
		for p, point := range lobatto {
			for k, s := range list {
				t := s.from + float64(point.at*s.length())
				for j := begin[k] * d; j < (begin[k]+len(parts[k]))*d; j++ {
					moved[j] = float32(t * float64(whole[j]))
				}
			}
			err := g.Run(asked, func(k int) int { return texts[list[k].text].Class }, func(k int, found infer.Derived) {
				w := point.weight * list[k].length()
				for j := range parts[k] {
					parts[k][j] += float64(w * float64(simd.Dot(whole[(begin[k]+j)*d:][:d], found.D(j))))
				}
				switch p {
				case 0:
					margins[k][0] = float64(found.Margin)
				case len(lobatto) - 1:
					margins[k][1] = float64(found.Margin)
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return parts, margins, err
}
