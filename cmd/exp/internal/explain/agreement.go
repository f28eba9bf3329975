package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var agreement = Test{
	Name: "agreement", Title: "Agreement", Source: "Jain and Wallace 2019, section 4.1; Kendall 1945",
	Method:  fmt.Sprintf("Sorts the words of each review by attention and by the size of another score, and compares the two orders: Kendall's τ_b over all words (1: the same order, 0: unrelated), the share of reviews whose τ differs from 0 significantly (p < 0.05), and how many of the first %d words they share (top-%d overlap).", topWords, topWords),
	Limits:  "If two scores differ, this does not say which of them is right: scores of one kind also differ among themselves. In long reviews most words have almost no weight, and τ includes their order; the overlap does not.",
	Version: 2,
	ranges:  map[string]stats.Interval{"τ": correlation, "τ by part": correlation, "τ above attention's": {Low: -2, High: 2}},
	lacks:   attends,
	run:     runAgreement,
	draw:    drawAgreement,
}

const topWords = 10

func attends(m *infer.Model) string { return scores.Named(scores.Attention).Lacks(m) }

// countsNgrams says why a model has no random weights and no vectors.
func countsNgrams(m *infer.Model) string {
	if m.Scorer() == nil {
		return ""
	}
	return "the model counts n-grams; the test needs a network with word vectors"
}

func runAgreement(ctx context.Context, s *Subject) (*Result, error) {
	attention := scores.Named(scores.Attention)
	base, err := s.Compute(ctx, attention)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	parts, taus := s.parts(), map[string][]float64{}
	err = s.each(ctx, func(other *scores.Score, list [][]float32) error {
		if other == attention {
			return nil
		}
		tau, p, overlap, err := s.compareOrders(base, list)
		if err != nil {
			return err
		}
		taus[other.Name] = tau
		r.agree(other.Title, tau, p, overlap)
		for _, part := range parts {
			r.meanOf("τ by part", other.Title, part.name, part.among(tau))
			r.meanOf(overlapName+" by part", other.Title, part.name, part.among(overlap))
		}
		for c, class := range s.Model.Classes {
			if len(s.Model.Classes) <= maxClasses {
				r.Series = append(r.Series, histogram(other.Title, class, tau, func(i int) bool { return s.Texts[i].Class == c }))
			}
		}
		return nil
	})
	if err == nil {
		err = s.others(ctx, r, taus)
	}
	if err != nil {
		return nil, err
	}
	if c := s.Complete; c.Texts > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Integrated gradients: %.0f points per review on average; their sums miss the differences of margins by %.2g %% on average, by %.2g at most.",
			float64(c.Steps)/float64(c.Texts), 100*c.Share(), c.Worst))
	}
	return r, nil
}

// agree adds how two scores of each review agree.
func (r *Result) agree(of string, tau, p, overlap []float64) {
	significant := nans(len(p))
	for i, q := range p {
		if tau[i] == tau[i] {
			significant[i] = truth(q < 0.05)
		}
	}
	r.meanOf("τ", of, "", tau)
	r.shareOf("significant", of, "", significant)
	r.meanOf(overlapName, of, "", overlap)
}

// others adds how gradients and leave-one-out agree with each other, and by how much more
// than attention agrees with either. Jain and Wallace 2019 publish the means of these
// differences over the reviews with their standard deviations.
func (s *Subject) others(ctx context.Context, r *Result, taus map[string][]float64) error {
	if taus[scores.Gradient] == nil || taus[scores.LeaveOut] == nil {
		return nil
	}
	gradient, leaveOut := scores.Named(scores.Gradient), scores.Named(scores.LeaveOut)
	first, err1 := s.Compute(ctx, gradient)
	second, err2 := s.Compute(ctx, leaveOut)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	both := gradient.Title + " with " + leaveOut.Title
	tau, p, overlap, err := s.compareOrders(first, second)
	if err != nil {
		return err
	}
	r.agree(both, tau, p, overlap)
	note := fmt.Sprintf("τ of %s minus τ of attention ", both)
	for i, score := range []*scores.Score{gradient, leaveOut} {
		above := make([]float64, len(tau))
		for k := range above {
			above[k] = tau[k] - taus[score.Name][k]
		}
		r.meanOf("τ above attention's", both, "with "+score.Title, above)
		n, sum, squares := sums(above)
		mean, deviation := sum/n, math.Sqrt(max(0, squares-float64(sum*sum/n))/(n-1))
		note += fmt.Sprintf("%s with %s: %s (standard deviation over the reviews %s)", []string{"", ","}[i], score.Title, fixed(mean), fixed(deviation))
	}
	r.Notes = append(r.Notes, note)
	return nil
}

var overlapName = fmt.Sprintf("top-%d overlap", topWords)

// compareOrders compares two scores of the words of each review by their size. It returns
// τ_b and its p, NaN and 1 if all words of a review have the same number, and the share of
// the first words that both have.
func (s *Subject) compareOrders(a, b [][]float32) (tau, p, overlap []float64, err error) {
	n := len(a)
	tau, p, overlap = make([]float64, n), make([]float64, n), make([]float64, n)
	err = s.Model.Pool().For(n, func(i int) {
		x, y := infer.Size(a[i]), infer.Size(b[i])
		var err error
		if tau[i], p[i], err = stats.KendallB(x, y); err != nil {
			tau[i], p[i] = math.NaN(), 1
		}
		overlap[i] = shared(infer.Falling(x), infer.Falling(y), topWords)
	})
	return tau, p, overlap, err
}

// shared returns the share of the first k of one list that are among the first k of
// another.
func shared(x, y []int, k int) float64 {
	k = min(k, len(x))
	hits := 0
	for _, i := range y[:k] {
		if slices.Contains(x[:k], i) {
			hits++
		}
	}
	return float64(hits) / float64(k)
}

const tauBins = 40

// histogram returns the share of the chosen reviews in each bin of [−1, 1].
func histogram(of, part string, tau []float64, holds func(i int) bool) Series {
	out, n := Series{Name: "τ", Of: of, Part: part, X: make([]Number, tauBins), Y: make([]Number, tauBins)}, 0.0
	for b := range out.X {
		out.X[b] = Number(float64((float64(b)+0.5)*2)/tauBins - 1)
	}
	for i, t := range tau {
		if t == t && holds(i) {
			out.Y[min(int((t+1)/2*tauBins), tauBins-1)]++
			n++
		}
	}
	for b := range out.Y {
		out.Y[b] /= Number(max(n, 1))
	}
	return out
}

// drawAgreement draws the histograms of τ by predicted class, as in figures 2 and 4
// of Jain and Wallace 2019.
func drawAgreement(r *Result) []chart.Lines {
	l := chart.Lines{Name: "agreement", Title: "Agreement of attention with other scores: Kendall's τ of each review, by predicted class"}
	highest := Number(0)
	for _, name := range []string{scores.Gradient, scores.LeaveOut, scores.Integrated} {
		known := scores.Named(name)
		p := chart.Panel{Title: known.Title, X: "τ", Y: "share of reviews"}
		for _, s := range r.Series {
			if s.Of == known.Title {
				highest = max(highest, slices.Max(s.Y))
				p.Lines = append(p.Lines, chart.Line{Name: "predicted " + s.Part, X: float64s(s.X), Y: float64s(s.Y)})
			}
		}
		if p.Lines != nil {
			l.Panels = append(l.Panels, p)
		}
	}
	for i := range l.Panels {
		l.Panels[i].YAxis.High = 1.05 * float64(highest)
	}
	return []chart.Lines{l}
}
