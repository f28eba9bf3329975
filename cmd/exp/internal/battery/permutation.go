package battery

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var permutation = Test{
	Name: "permutation", Title: "Permutation", Source: "Jain and Wallace 2019, section 4.2.1",
	Says:    fmt.Sprintf("Deals the weights of each review anew among its words, %d times, and looks how far the probabilities move (total variation, 0 to 1); the median over the times is the review's number. Where large weights can be dealt anew and the answer stays, it did not rest on which words had them.", permutations),
	Cannot:  "Only the weights change: the states that they add up stay, and have read the words around them, so that an answer may stay because every state tells it (Wiegreffe and Pinter 2019, section 4).",
	Version: 1,
	lacks:   pools,
	run:     runPermutation,
	draw:    drawPermutation,
}

// permutations is how often the weights of a review are dealt anew.
const permutations = 100

// pools says why a model has not one weight a word that could be changed.
func pools(m *infer.Model) string {
	switch {
	case m.Pools():
		return ""
	case m.Members() > 1 && m.Attends():
		return fmt.Sprintf("each of its %d networks has weights of its own: there is no single distribution to change. A run with members=1 has one", m.Members())
	case m.Depth() > 0:
		return "each word of a layer of self-attention has weights of its own over all words: there is no single distribution to change. Of this model pool=attention has one"
	}
	return attends(m)
}

// weightLimits part the reviews by their largest weight.
var weightLimits = []float64{0.25, 0.5, 0.75, 1}

func runPermutation(ctx context.Context, s *Subject) (*Result, error) {
	n := len(s.Texts)
	change, largest := make([]float64, n), make([]float64, n)
	list := s.encoded()
	done := 0
	for _, group := range s.Model.Cut(list) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.permute(list, group, change, largest); err != nil {
			return nil, infer.Named(err, s.Reviews.Names)
		}
		done += len(group)
		s.heard("dealing weights anew", done)
	}
	r := &Result{}
	r.meanOf("median change", "", "", change)
	moved := 0
	for _, c := range change {
		if c >= 0.1 {
			moved++
		}
	}
	r.share("reviews that move by 0.1", "", "", moved, n)
	r.meanOf("largest weight", "", "", largest)
	low := 0.0
	for _, high := range weightLimits {
		p := part{fmt.Sprintf("largest weight %g–%g", low, high), func(i int) bool { return largest[i] > low && largest[i] <= high }}
		r.meanOf("median change by part", "", p.name, p.among(change))
		low = high
	}
	for _, p := range s.parts() {
		r.meanOf("median change by part", "", p.name, p.among(change))
	}
	for c, class := range s.Model.Classes {
		dots := Series{Name: "median change", Part: class}
		for i := range change {
			if s.Texts[i].Class == c {
				dots.X, dots.Y = append(dots.X, Number(largest[i])), append(dots.Y, Number(change[i]))
			}
		}
		r.Series = append(r.Series, dots)
	}
	return r, nil
}

// permute fills in what becomes of the reviews of a batch.
func (s *Subject) permute(list []infer.Encoded, group []int, change, largest []float64) error {
	texts := make([]infer.Encoded, len(group))
	for k, i := range group {
		texts[k] = list[i]
	}
	b, err := s.Model.Run(texts)
	if err != nil {
		return err
	}
	before, dealt, moved := make([][]float32, len(group)), make([]*rand.Rand, len(group)), make([][]float64, len(group))
	for k, i := range group {
		before[k], moved[k] = slices.Clone(b.P(k)), make([]float64, permutations)
		dealt[k] = rand.New(rand.NewPCG(s.Seed, uint64(s.Texts[i].Number)))
		w, err := b.Attention(k)
		if err != nil {
			return err
		}
		largest[i] = float64(slices.Max(w))
	}
	for t := range permutations {
		err := b.Reweigh(func(k int, weights []float32) {
			dealt[k].Shuffle(len(weights), func(i, j int) { weights[i], weights[j] = weights[j], weights[i] })
		})
		if err != nil {
			return err
		}
		for k := range group {
			moved[k][t] = totalVariation(before[k], b.P(k))
		}
	}
	for k, i := range group {
		change[i] = stats.Median(moved[k])
	}
	return nil
}

func (s *Subject) encoded() []infer.Encoded {
	out := make([]infer.Encoded, len(s.Texts))
	for i, t := range s.Texts {
		out[i] = t.Encoded
	}
	return out
}

// totalVariation returns ½ Σ|pᵢ − qᵢ|.
func totalVariation(p, q []float32) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Abs(float64(p[i]) - float64(q[i]))
	}
	return sum / 2
}

// drawPermutation draws a dot a review, as figure 3 of Jain and Wallace 2019.
func drawPermutation(r *Result, head Head) ([]canvas.Figure, error) {
	if r.Series == nil || len(r.Series) > chart.MostGroups { // of a mean over seeds, or of more classes than can be told apart
		return nil, nil
	}
	d := chart.Dots{
		Name: head.Name + "-permutation", Title: "How far answers move when weights are dealt anew", Caption: head.About,
		X: "median total variation", Y: "largest weight", XLow: 0, XHigh: 1, YLow: 0, YHigh: 1,
	}
	for _, s := range r.Series {
		d.Groups = append(d.Groups, chart.DotGroup{Name: "predicted " + s.Part, X: floats(s.Y), Y: floats(s.X)})
	}
	f, err := d.Figure()
	return []canvas.Figure{f}, err
}
