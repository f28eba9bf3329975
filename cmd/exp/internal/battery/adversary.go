package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var adversarial = Test{
	Name: "adversary", Title: "Adversarial attention", Source: "Jain and Wallace 2019, section 4.2.2",
	Says: fmt.Sprintf("Finds, for each review, the weights that lie farthest from the model's (Jensen–Shannon divergence, 0 to log 2 = %.3f) among all that move its probabilities by no more than ε (total variation). Where they lie far away, the same answer could have been shown with other words marked. "+
		"Where a linear classifier of two classes reads the weighted sum, they are found exactly and not searched for; the answer is the network's own with these weights, and ε holds for every review.", math.Ln2),
	Cannot:  "That other weights would give the same answer does not say that a model could have learned them, for all reviews at once: they are made for one review each, without the part of the model that makes weights (Wiegreffe and Pinter 2019, section 4). A probability with two classes is one number, which hundreds of weights can reach in many ways.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence": divergence, "divergence by part": divergence},
	lacks:   learnedWeights,
	run:     runAdversary,
	draw:    drawAdversary,
}

// learnedWeights says why there is nothing to be an adversary of.
func learnedWeights(m *infer.Model) string {
	if why := pools(m); why != "" {
		return why
	}
	if !m.LearnsWeights() {
		return "the weights of its attention are not learned"
	}
	return ""
}

// epsilons are the bounds of the sweep, and usualEpsilon that of Jain and Wallace 2019 for
// classes.
var epsilons = []float64{0.001, 0.003, 0.01, 0.03, 0.1}

const (
	usualEpsilon = 0.01
	farAway      = 0.6 // of log 2

	overEpsilon = "divergence over ε"
	mostDots    = 200 // of each ε

	// What is found is within a little less than ε: the network answers in float32.
	withinBound = 0.999
	bisections  = 24
	lineStep    = 1e-4 // of the way
)

// adversaries are what was found of each review for one bound.
type adversaries struct {
	distance, change []float64
	exact            bool // nothing lies farther
}

func runAdversary(ctx context.Context, s *Subject) (*Result, error) {
	n := len(s.Texts)
	found, largest := make([]adversaries, len(epsilons)), make([]float64, n)
	for e := range found {
		found[e] = adversaries{make([]float64, n), make([]float64, n), true}
	}
	g, err := s.Model.Gradients()
	if err != nil {
		return nil, err
	}
	defer g.Close()
	list, done := s.encoded(), 0
	for _, group := range s.Model.Cut(list) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := s.face(g, list, group)
		if err != nil {
			return nil, infer.Named(err, s.Reviews.Names)
		}
		for k, i := range group {
			largest[i] = slices.Max(f.base[k])
		}
		for e, epsilon := range epsilons {
			if err := f.adversaries(epsilon, group, &found[e]); err != nil {
				return nil, err
			}
		}
		done += len(group)
		s.heard("looking for adversaries", done)
	}
	return s.adversaryResult(found, largest), nil
}

func (s *Subject) adversaryResult(found []adversaries, largest []float64) *Result {
	r, n := &Result{}, len(s.Texts)
	far := func(list []float64) (hits int) {
		for _, d := range list {
			if d >= farAway {
				hits++
			}
		}
		return hits
	}
	for e, epsilon := range epsilons {
		bound := fmt.Sprintf("ε = %g", epsilon)
		if epsilon == usualEpsilon {
			low := 0.0
			for _, high := range weightLimits {
				p := part{fmt.Sprintf("largest weight %g–%g", low, high), func(i int) bool { return largest[i] > low && largest[i] <= high }}
				r.meanOf("divergence by part", "", p.name, p.among(found[e].distance))
				low = high
			}
			for _, p := range s.parts() {
				r.meanOf("divergence by part", "", p.name, p.among(found[e].distance))
			}
			for c, class := range s.Model.Classes {
				dots := Series{Name: "divergence", Part: class}
				for i, d := range found[e].distance {
					if s.Texts[i].Class == c {
						dots.X, dots.Y = append(dots.X, Number(largest[i])), append(dots.Y, Number(d))
					}
				}
				r.Series = append(r.Series, dots)
			}
		}
		r.meanOf("divergence", bound, "", found[e].distance)
		r.share(fmt.Sprintf("reviews at %g or more", farAway), bound, "", far(found[e].distance), n)
		r.Values = append(r.Values, Value{Statistic: "largest change", Of: bound, N: n, Value: Number(slices.Max(found[e].change)), Low: Number(math.NaN()), High: Number(math.NaN())})
	}
	for c, class := range s.Model.Classes {
		dots := Series{Name: overEpsilon, Part: class}
		for e, epsilon := range epsilons {
			for i := 0; i < n; i += (n + mostDots - 1) / mostDots {
				if s.Texts[i].Class == c {
					dots.X, dots.Y = append(dots.X, Number(epsilon)), append(dots.Y, Number(found[e].distance[i]))
				}
			}
		}
		r.Series = append(r.Series, dots)
	}
	exact := !slices.ContainsFunc(found, func(a adversaries) bool { return !a.exact })
	if exact {
		r.Notes = append(r.Notes, "exact, but for the rounding of float32: no weights within ε are farther from the model's")
	} else {
		r.Notes = append(r.Notes, "lower bounds: there may be weights within ε that are farther from the model's, since what stands between them and the probabilities is not linear, or there are more than two classes")
	}
	return r
}

// drawAdversary draws a dot a review, as figure 8 of Jain and Wallace 2019, and the
// divergence over ε.
func drawAdversary(r *Result, head Head) ([]canvas.Figure, error) {
	if r.Series == nil { // of a mean over seeds
		return nil, nil
	}
	d := chart.Dots{
		Name: head.Name + "-adversary", Title: fmt.Sprintf("How far from the model's weights others give its answer within ε = %g", usualEpsilon), Caption: head.About,
		X: "Jensen–Shannon divergence", Y: "largest weight", XLow: 0, XHigh: 0.7, YLow: 0, YHigh: 1, Mark: []float64{farAway},
	}
	over := chart.Dots{
		Name: head.Name + "-adversary-epsilon", Title: "How far others lie, over what the answer may change", Caption: head.About,
		X: "log ε, base 10", Y: "Jensen–Shannon divergence", XLow: math.Log10(epsilons[0]) - 0.25, XHigh: math.Log10(epsilons[len(epsilons)-1]) + 0.25, YLow: farAway, YHigh: 0.7,
	}
	for _, s := range r.Series {
		x, y := floats(s.X), floats(s.Y)
		if s.Name != overEpsilon {
			d.Groups = append(d.Groups, chart.DotGroup{Name: "predicted " + s.Part, X: y, Y: x})
			continue
		}
		for i := range x {
			_, place := math.Modf(float64(i) * math.Phi)
			x[i] = math.Log10(x[i]) + 0.3*(place-0.5) // beside each other
			over.YLow = min(over.YLow, math.Floor(10*y[i])/10)
		}
		over.Groups = append(over.Groups, chart.DotGroup{Name: "predicted " + s.Part, X: x, Y: y, Each: len(epsilons)})
	}
	if len(d.Groups) > chart.MostGroups { // classes that cannot be told apart
		return nil, nil
	}
	dots, err := d.Figure()
	if err != nil {
		return nil, err
	}
	sweep, err := over.Figure()
	return []canvas.Figure{dots, sweep}, err
}
