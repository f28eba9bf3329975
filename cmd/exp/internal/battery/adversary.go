package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var adversarial = Test{
	Name: "adversary", Title: "Adversarial attention", Source: "Jain and Wallace 2019, section 4.2.2",
	Method: fmt.Sprintf("Finds for each review the weights that are farthest from the model's (Jensen–Shannon divergence, 0 to log 2 = %.3f) among all that change its probabilities by at most ε (total variation). If they are far away, the same answer could have been shown with other words marked. "+
		"If a linear classifier of two classes reads the weighted sum, they are computed exactly instead of searched for. The answer is the network's own with these weights, so ε holds for every review.", math.Ln2),
	Limits:  "That other weights give the same answer does not say that a model could have learned them for all reviews at once: each review gets its own, without the part of the model that computes weights (Wiegreffe and Pinter 2019, section 4). With two classes the probability is one number, and hundreds of weights can reach it in many ways.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence": divergence, "divergence by part": divergence},
	lacks:   learnedWeights,
	run:     runAdversary,
	draw:    drawAdversary,
}

// learnedWeights says why a model has no learned weights to replace.
func learnedWeights(m *infer.Model) string {
	if why := pools(m); why != "" {
		return why
	}
	if !m.LearnsWeights() {
		return "the weights of its attention are not learned"
	}
	return ""
}

// epsilons are the bounds of the sweep; usualEpsilon is the bound of Jain and Wallace 2019
// for classes.
var epsilons = []float64{0.001, 0.003, 0.01, 0.03, 0.1}

const (
	usualEpsilon = 0.01
	farAway      = 0.6 // of log 2

	overEpsilon = "divergence over ε"
	maxDots     = 200 // of each ε

	// The search stays a little below ε, because the network answers in float32.
	withinBound = 0.999
	bisections  = 24
	lineStep    = 1e-4 // of the way
)

// adversaries holds for each review the weights found for one bound.
type adversaries struct {
	distance []float64 // of the weights from the model's own
	change   []float64 // of the probabilities
	exact    bool      // no weights within the bound are farther away
}

func runAdversary(ctx context.Context, s *Subject) (*Result, error) {
	n := len(s.Texts)
	found, largest := make([]adversaries, len(epsilons)), make([]float64, n)
	for e := range found {
		found[e] = adversaries{make([]float64, n), make([]float64, n), true}
	}
	g, err := s.Model.Gradients(false)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	err = s.eachBatch(ctx, "looking for adversaries", func(group []int, texts []infer.Encoded) error {
		a, err := s.newAttack(g, group, texts)
		if err != nil {
			return err
		}
		for k, i := range group {
			largest[i] = slices.Max(a.own[k])
		}
		for e, epsilon := range epsilons {
			if err := a.run(epsilon, group, &found[e]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.adversaryResult(found, largest), nil
}

// adversaryResult sums up the adversaries of each ε. The usual ε is also broken down by
// parts and drawn; largest holds each review's largest weight.
func (s *Subject) adversaryResult(found []adversaries, largest []float64) *Result {
	r, sweep, exact := &Result{}, s.byClass(overEpsilon), true
	for e, epsilon := range epsilons {
		f, bound := found[e], fmt.Sprintf("ε = %g", epsilon)
		exact = exact && f.exact
		if epsilon == usualEpsilon {
			for _, p := range s.partsByWeight(largest) {
				r.meanOf("divergence by part", "", p.name, p.among(f.distance))
			}
			dots := s.byClass("divergence")
			for i, d := range f.distance {
				dots[s.Texts[i].Class].add(largest[i], d)
			}
			r.Series = append(r.Series, dots...)
		}
		r.meanOf("divergence", bound, "", f.distance)
		r.shareOf(fmt.Sprintf("reviews at %g or more", farAway), bound, "", atLeast(f.distance, farAway))
		r.add("largest change", bound, "", len(f.change), slices.Max(f.change), math.NaN(), math.NaN())
		for i := 0; i < len(f.distance); i += (len(f.distance) + maxDots - 1) / maxDots {
			sweep[s.Texts[i].Class].add(epsilon, f.distance[i])
		}
	}
	r.Series = append(r.Series, sweep...)
	if exact {
		r.Notes = append(r.Notes, "exact up to float32 rounding: no weights within ε are farther from the model's")
	} else {
		r.Notes = append(r.Notes, "lower bounds: there may be weights within ε that are farther from the model's, because the probabilities are not linear in the weights, or there are more than two classes")
	}
	return r
}

// drawAdversary draws a dot for each review, as in figure 8 of Jain and Wallace 2019, and
// the divergence over ε.
func drawAdversary(r *Result, head Head) ([]canvas.Figure, error) {
	if r.Series == nil { // a mean over seeds
		return nil, nil
	}
	d := chart.Lines{
		Name: head.Name + "-adversary", Title: fmt.Sprintf("How far from the model's weights others give its answer within ε = %g", usualEpsilon), Caption: head.About,
	}
	over := chart.Lines{
		Name: head.Name + "-adversary-epsilon", Title: "How far other weights are, over the allowed change of the answer", Caption: head.About,
	}
	dots := chart.Panel{X: "Jensen–Shannon divergence", Y: "largest weight", XAxis: chart.Axis{High: 0.7}, YAxis: chart.Axis{High: 1}, Marks: []float64{farAway}}
	overEach := chart.Panel{
		X: "log ε, base 10", Y: "Jensen–Shannon divergence", YAxis: chart.Axis{Low: farAway, High: 0.7},
		XAxis: chart.Axis{Low: math.Log10(epsilons[0]) - 0.25, High: math.Log10(epsilons[len(epsilons)-1]) + 0.25},
	}
	for _, s := range r.Series {
		x, y := float64s(s.X), float64s(s.Y)
		if s.Name != overEpsilon {
			d.Panels = append(d.Panels, dots.Cloud("predicted "+s.Part, y, x, 1))
			continue
		}
		for i := range x {
			_, place := math.Modf(float64(i) * math.Phi)
			x[i] = math.Log10(x[i]) + 0.3*(place-0.5) // side by side
			overEach.YAxis.Low = min(overEach.YAxis.Low, math.Floor(10*y[i])/10)
		}
		over.Panels = append(over.Panels, overEach.Cloud("predicted "+s.Part, x, y, len(epsilons)))
	}
	if len(d.Panels) > chart.MaxNames { // too many classes to distinguish
		return nil, nil
	}
	for i := range over.Panels { // one axis for all
		over.Panels[i].YAxis = overEach.YAxis
	}
	each, err := d.Figure()
	if err != nil {
		return nil, err
	}
	sweep, err := over.Figure()
	return []canvas.Figure{each, sweep}, err
}
