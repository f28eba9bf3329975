package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var agreement = Test{
	Name: "agreement", Title: "Agreement", Source: "Jain and Wallace 2019, section 4.1; Kendall 1945",
	Says:    fmt.Sprintf("Puts the words of each review in the order of attention and of the size of another score, and compares the two: Kendall's τ_b over all words (1: the same order, 0: unrelated), the share of reviews whose τ differs from 0 by more than chance (p < 0.05), and how many of the first %d words they share (top-%d overlap).", topWords, topWords),
	Cannot:  "That two scores differ does not tell which of them is right: scores of one kind also differ among themselves. In long reviews most words count for next to nothing, and τ is about the order of these, too; the overlap is not.",
	Version: 2,
	ranges:  map[string]stats.Interval{"τ": correlation, "τ by part": correlation, "τ above attention's": {Low: -2, High: 2}},
	lacks:   func(m *infer.Model) string { return attends(m) },
	run:     runAgreement,
	draw:    drawAgreement,
}

// topWords is how many words the overlap is about.
const topWords = 10

// attends says why a model has no attention to test.
func attends(m *infer.Model) string {
	if m.Attends() {
		return ""
	}
	return "the model has no attention"
}

func runAgreement(ctx context.Context, s *Subject) (*Result, error) {
	attention, err := scores.Lookup(scores.Attention)
	if err != nil {
		return nil, err
	}
	base, err := s.Of(ctx, attention)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	parts, taus := s.parts(), map[string][]float64{}
	for _, other := range s.Scores {
		if other == attention {
			continue
		}
		list, err := s.Of(ctx, other)
		if err != nil {
			return nil, err
		}
		tau, p, overlap, err := s.alike(base, list)
		if err != nil {
			return nil, err
		}
		taus[other.Name] = tau
		r.agree(other.Title, tau, p, overlap)
		for _, part := range parts {
			r.meanOf("τ by part", other.Title, part.name, part.among(tau))
			r.meanOf(overlapName+" by part", other.Title, part.name, part.among(overlap))
		}
		for c, class := range s.Model.Classes {
			if len(s.Model.Classes) <= 5 {
				r.Series = append(r.Series, histogram(other.Title, class, tau, func(i int) bool { return s.Texts[i].Class == c }))
			}
		}
	}
	if err := s.others(ctx, r, taus); err != nil {
		return nil, err
	}
	if c := s.Complete; c.Texts > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Integrated gradients: on average %.0f points of the way a review; their sums miss the differences of margins by %.2g %% of these, by %.2g at most.",
			float64(c.Steps)/float64(c.Texts), 100*c.Share(), c.Worst))
	}
	return r, nil
}

// agree adds what two scores of each review have in common.
func (r *Result) agree(of string, tau, p, overlap []float64) {
	hits, n := 0, 0
	for i, q := range p {
		if tau[i] == tau[i] {
			n++
			if q < 0.05 {
				hits++
			}
		}
	}
	r.meanOf("τ", of, "", tau)
	if n > 0 {
		r.share("significant", of, "", hits, n)
	}
	r.meanOf(overlapName, of, "", overlap)
}

// others adds how two scores agree that are not attention, and by how much more than
// attention does with either: the differences of which Jain and Wallace 2019 publish
// means over the reviews with their standard deviations.
func (s *Subject) others(ctx context.Context, r *Result, taus map[string][]float64) error {
	const other = "leaveout"
	if taus[scores.Gradient] == nil || taus[other] == nil {
		return nil
	}
	var titles []string
	var lists [][][]float32
	for _, name := range []string{scores.Gradient, other} {
		score, err := scores.Lookup(name)
		if err != nil {
			return err
		}
		list, err := s.Of(ctx, score)
		if err != nil {
			return err
		}
		titles, lists = append(titles, score.Title), append(lists, list)
	}
	both := titles[0] + " with " + titles[1]
	tau, p, overlap, err := s.alike(lists[0], lists[1])
	if err != nil {
		return err
	}
	r.agree(both, tau, p, overlap)
	note := fmt.Sprintf("τ of %s less that of attention", both)
	for i, name := range []string{scores.Gradient, other} {
		above := make([]float64, len(tau))
		for k := range above {
			above[k] = tau[k] - taus[name][k]
		}
		r.meanOf("τ above attention's", both, "with "+titles[i], above)
		mean, deviation := spread(above)
		note += fmt.Sprintf("%s with %s: %s (standard deviation over the reviews %s)", []string{"", ","}[i], titles[i], fixed(mean), fixed(deviation))
	}
	r.Notes = append(r.Notes, note)
	return nil
}

// spread returns the mean and the standard deviation of the numbers that are some.
func spread(list []float64) (mean, deviation float64) {
	var m moments
	for _, x := range list {
		if x == x {
			m.add(x)
		}
	}
	n := float64(m.n)
	return m.sum / n, math.Sqrt(max(0, m.squares-float64(m.sum*m.sum/n)) / (n - 1))
}

var overlapName = fmt.Sprintf("top-%d overlap", topWords)

// alike compares two scores of the words of each review by their size: τ_b and its p,
// NaN and 1 where all words of a review have the same number, and the share of the
// first words that both have.
func (s *Subject) alike(a, b [][]float32) (tau, p, overlap []float64, err error) {
	n := len(s.Texts)
	tau, p, overlap = make([]float64, n), make([]float64, n), make([]float64, n)
	err = s.Model.Pool().For(n, func(i int) {
		x, y := scores.Size(a[i]), scores.Size(b[i])
		var err error
		if tau[i], p[i], err = stats.KendallB(x, y); err != nil {
			tau[i], p[i] = math.NaN(), 1
		}
		overlap[i] = shared(falling(x), falling(y), topWords)
	})
	return tau, p, overlap, err
}

// shared returns the share of the first k of one list that are among the first k of
// another.
func shared(x, y []int, k int) float64 {
	k = min(k, len(x))
	first := map[int]bool{}
	for _, i := range x[:k] {
		first[i] = true
	}
	hits := 0
	for _, i := range y[:k] {
		if first[i] {
			hits++
		}
	}
	return float64(hits) / float64(k)
}

// tauBins is how many parts of [−1, 1] histograms have.
const tauBins = 40

// histogram returns the share of some reviews in each part of [−1, 1].
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

// drawAgreement draws the histograms of τ by predicted class of two scores, as figures 2
// and 4 of Jain and Wallace 2019.
func drawAgreement(r *Result, head Head) ([]canvas.Figure, error) {
	l := chart.Lines{Name: head.Name + "-agreement", Title: "Agreement of attention with other scores: Kendall's τ of each review, by predicted class", Caption: head.About}
	most := Number(0)
	for _, score := range []string{scores.Gradient, "leaveout", "integrated"} {
		known, err := scores.Lookup(score)
		if err != nil {
			return nil, err
		}
		p := chart.LinePanel{Title: known.Title, X: "τ", Y: "share of reviews"}
		for _, s := range r.Series {
			if s.Of == known.Title {
				most = max(most, slices.Max(s.Y))
				p.Lines = append(p.Lines, chart.Line{Name: "predicted " + s.Part, X: floats(s.X), Y: floats(s.Y)})
			}
		}
		if p.Lines != nil {
			l.Panels = append(l.Panels, p)
		}
	}
	if l.Panels == nil {
		return nil, nil
	}
	for i := range l.Panels {
		l.Panels[i].High = 1.05 * float64(most)
	}
	f, err := l.Figure()
	return []canvas.Figure{f}, err
}

func floats(list []Number) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}
