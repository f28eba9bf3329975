package battery

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var permutation = Test{
	Name: "permutation", Title: "Permutation", Source: "Jain and Wallace 2019, section 4.2.1",
	Method:  fmt.Sprintf("Shuffles the weights of each review among its words, %d times, and measures how far the probabilities move (total variation, 0 to 1). The median over the shuffles is the review's number. If large weights can be shuffled and the answer stays, it did not depend on which words had them.", permutations),
	Limits:  "Only the weights change. The states that they weigh stay the same, and have read the words around them, so an answer may stay because every state carries it (Wiegreffe and Pinter 2019, section 4).",
	Version: 1,
	lacks:   pools,
	run:     runPermutation,
	draw:    drawPermutation,
}

// permutations is how often the weights of a review are shuffled.
const permutations = 100

// pools says why a model has no single weight per word that could be changed.
func pools(m *infer.Model) string {
	switch {
	case m.Pools():
		return ""
	case m.Members() > 1 && m.Attends():
		return fmt.Sprintf("each of its %d networks has its own weights, so the model has no single distribution. A run with members=1 has one", m.Members())
	case m.Depth() > 0:
		return "each word of a layer of self-attention has its own weights over all words, so the model has no single distribution. With pool=attention it has one"
	}
	return attends(m)
}

func runPermutation(ctx context.Context, s *Subject) (*Result, error) {
	change, largest := make([]float64, len(s.Texts)), make([]float64, len(s.Texts))
	err := s.eachBatch(ctx, "shuffling weights", func(group []int, texts []infer.Encoded) error {
		return s.permute(group, texts, change, largest)
	})
	if err != nil {
		return nil, err
	}
	r, dots := &Result{}, s.byClass("median change")
	r.meanOf("median change", "", "", change)
	r.shareOf("reviews that move by 0.1", "", "", atLeast(change, 0.1))
	r.meanOf("largest weight", "", "", largest)
	for _, p := range s.partsByWeight(largest) {
		r.meanOf("median change by part", "", p.name, p.among(change))
	}
	for i, t := range s.Texts {
		dots[t.Class].add(largest[i], change[i])
	}
	r.Series = dots
	return r, nil
}

// permute fills in the change and the largest weight of the reviews of a batch.
func (s *Subject) permute(group []int, texts []infer.Encoded, change, largest []float64) error {
	b, err := s.Model.Run(texts)
	if err != nil {
		return err
	}
	before, random, moved := make([][]float32, len(group)), make([]*rand.Rand, len(group)), make([][]float64, len(group))
	for k, i := range group {
		before[k], moved[k] = slices.Clone(b.P(k)), make([]float64, permutations)
		random[k] = rand.New(rand.NewPCG(s.Seed, uint64(s.Texts[i].Number)))
		w, err := b.Attention(k)
		if err != nil {
			return err
		}
		largest[i] = float64(slices.Max(w))
	}
	for t := range permutations {
		err := b.Reweigh(func(k int, weights []float32) {
			random[k].Shuffle(len(weights), func(i, j int) { weights[i], weights[j] = weights[j], weights[i] })
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

// totalVariation returns ½ Σ|pᵢ − qᵢ|.
func totalVariation(p, q []float32) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Abs(float64(p[i]) - float64(q[i]))
	}
	return sum / 2
}

// drawPermutation draws a dot for each review, as in figure 3 of Jain and Wallace 2019.
func drawPermutation(r *Result, head Head) ([]canvas.Figure, error) {
	if r.Series == nil || len(r.Series) > chart.MaxNames { // a mean over seeds, or too many classes to distinguish
		return nil, nil
	}
	d := chart.Lines{Name: head.Name + "-permutation", Title: "How far answers move when weights are shuffled", Caption: head.About}
	p := chart.Panel{X: "median total variation", Y: "largest weight", XAxis: chart.Axis{High: 1}, YAxis: chart.Axis{High: 1}}
	for _, s := range r.Series {
		d.Panels = append(d.Panels, p.Cloud("predicted "+s.Part, float64s(s.Y), float64s(s.X), 1))
	}
	f, err := d.Figure()
	return []canvas.Figure{f}, err
}
