package scores

import (
	"context"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/simd"
)

// DefaultSteps is how many points of the path integrated gradients look at.
const DefaultSteps = 16

var integrated = Score{
	Name: "integrated", Title: "integrated gradients", Signed: true, Source: "Sundararajan, Taly and Yan 2017",
	Says: "xᵢ·∫∂m/∂xᵢ along the straight way from vectors of zeros to the text's own. The words' numbers add up to what the margin has gained on the way (completeness).",
	of:   integrate,
}

// Completeness says how far integrated gradients are from adding up to the difference of
// margins that they share out.
type Completeness struct {
	Texts      int
	Error, All float64 // Σ |Σᵢ sᵢ − (m(x) − m(0))| and Σ |m(x) − m(0)|
	Worst      float64 // largest single error
}

// Share is the error as a share of what is shared out, over all texts.
func (c Completeness) Share() float64 { return c.Error / c.All }

func (c *Completeness) add(sum, difference float64) {
	e := math.Abs(sum - difference)
	c.Texts++
	c.Error += e
	c.All += math.Abs(difference)
	c.Worst = max(c.Worst, e)
}

// integrate follows the way of all words at once at the points of Gauss and Legendre,
// which integrate polynomials of a degree up to 2·steps − 1 without error.
func integrate(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
	g, err := a.network()
	if err != nil {
		return nil, err
	}
	m, at, weight := a.model, []float64(nil), []float64(nil)
	at, weight = legendre(a.Steps)
	out := make([][]float32, len(texts))
	ends := make([][2]float32, len(texts)) // margins of zeros and of the text
	for _, group := range m.Cut(encoded(texts)) {
		list, whole, class := make([]infer.Encoded, len(group)), []float32(nil), func(k int) int { return texts[group[k]].Class }
		var rows int32
		for k, i := range group {
			t := texts[i]
			out[i] = make([]float32, len(t.Rows))
			list[k].Rows = make([]int32, len(t.Rows))
			for j, r := range t.Rows {
				whole = append(whole, m.Vector(r)...)
				list[k].Rows[j] = rows
				rows++
			}
		}
		err := m.Beside(whole, func(first int32, scaled []float32) error {
			for _, e := range list {
				for j := range e.Rows {
					e.Rows[j] += first
				}
			}
			step := func(t float64, f func(k int, d infer.Derived)) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				for j, v := range whole {
					scaled[j] = float32(t * float64(v))
				}
				return g.Run(list, class, f)
			}
			for end := range 2 {
				if err := step(float64(end), func(k int, d infer.Derived) { ends[group[k]][end] = d.Margin }); err != nil {
					return err
				}
			}
			d := m.Dim()
			for s, t := range at {
				err := step(t, func(k int, found infer.Derived) {
					sums := out[group[k]]
					for j := range sums {
						x := whole[int(list[k].Rows[j]-first)*d:][:d]
						sums[j] += float32(weight[s]) * simd.Dot(x, found.D(j))
					}
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i, list := range out {
		sum := 0.0
		for _, v := range list {
			sum += float64(v)
		}
		a.Complete.add(sum, float64(ends[i][1])-float64(ends[i][0]))
	}
	return out, nil
}

// legendre returns the points in (0, 1) and weights of the Gauss-Legendre rule, by
// Newton's method on the Legendre polynomial (Press et al. 2007, Numerical Recipes,
// section 4.6).
func legendre(n int) (at, weight []float64) {
	at, weight = make([]float64, n), make([]float64, n)
	for i := range n {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 0.0
		for range 100 {
			p, before := 1.0, 0.0
			for k := range n {
				p, before = (float64(float64(2*k+1)*float64(x*p))-float64(float64(k)*before))/float64(k+1), p
			}
			slope = float64(n) * (float64(x*p) - before) / (float64(x*x) - 1)
			step := p / slope
			x -= step
			if math.Abs(step) < 1e-15 {
				break
			}
		}
		at[n-1-i], weight[n-1-i] = (1+x)/2, 1/((1-float64(x*x))*float64(slope*slope))
	}
	return at, weight
}
