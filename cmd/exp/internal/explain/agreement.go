package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
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

var sanity = Test{
	Name: "sanity", Title: "Sanity", Source: "Adebayo et al. 2018, section 3; Yeh et al. 2019, definitions 2.1 and 3.1",
	Method: fmt.Sprintf("Measures three properties of a score. Random weights: its agreement (τ and overlap) with the score of the same model with random weights and the same word vectors, which should be near chance; means over %d draws of the weights and up to %d reviews, with an interval over both. "+
		"Infidelity: the share of the change of the margin that the scores leave unexplained, 0 to 1; %d random sets of words, a tenth of the review each, are set to zero vectors, and the scores of these words are added up and scaled optimally. "+
		"Sensitivity: the largest distance that the score moves, relative to its length, in %d draws of noise of a tenth of the vectors' spread; the median over up to %d reviews.", untrainedDraws, untrainedReviews, infidelityDraws, sensitivityDraws, sensitivityReviews),
	Limits:  "A score that passes is not yet an explanation: the questions only find scores that cannot be one. Attention and norms have no sign, so their infidelity is high if words speak for both sides. The row random shows the numbers of a score without information.",
	Version: 2,
	ranges:  map[string]stats.Interval{"τ with random weights": correlation, "sensitivity": {Low: 0, High: math.Inf(1)}},
	lacks:   countsNgrams,
	run:     runSanity,
}

const (
	infidelityDraws    = 50
	infidelityShare    = 0.1
	sensitivityDraws   = 5
	sensitivityReviews = 100 // each draw computes all scores again
	untrainedDraws     = 10
	untrainedReviews   = 100
	sensitivityNoise   = 0.1
)

func runSanity(ctx context.Context, s *Subject) (*Result, error) {
	r := &Result{}
	for _, measure := range []func(context.Context, *Result) error{s.untrained, s.infidelity, s.sensitivity} {
		if err := measure(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// untrained compares the scores of the model with its scores after several draws of random weights.
// The interval covers other weights and other reviews.
func (s *Subject) untrained(ctx context.Context, r *Result) error {
	places := s.evenly(untrainedReviews)
	var texts []scores.Text
	for _, at := range places {
		texts = append(texts, s.Texts[at])
	}
	found := map[*scores.Score]*[2]Result{} // τ and overlap of each draw
	for _, score := range s.Scores {
		found[score] = &[2]Result{}
	}
	for draw := range untrainedDraws {
		s.heard(fmt.Sprintf("random weights %d of %d", draw+1, untrainedDraws), 0)
		if err := s.untrainedOnce(ctx, draw, places, texts, found); err != nil {
			return err
		}
	}
	for _, score := range s.Scores {
		for k, name := range []string{"τ with random weights", overlapName} {
			if draws := found[score][k].Values; len(draws) > 1 {
				r.overSeeds(name, score.Title, "", draws)
			}
		}
	}
	return nil
}

// untrainedOnce adds the numbers of one draw of the weights. Each run has its own draws.
func (s *Subject) untrainedOnce(ctx context.Context, draw int, places []int, texts []scores.Text, found map[*scores.Score]*[2]Result) error {
	seed := simd.Key(s.Seed, fmt.Sprintf("untrained/%s/%d", s.Label, draw))
	m, err := s.Untrained(seed)
	if err != nil {
		return err
	}
	defer m.Close()
	a := scores.New(m, seed) // other random scores, too
	defer a.Close()
	return s.each(ctx, func(score *scores.Score, trained [][]float32) error {
		var of [][]float32
		for _, at := range places {
			of = append(of, trained[at])
		}
		other, err := a.Compute(ctx, score, texts)
		if err != nil {
			return err
		}
		tau, _, overlap, err := s.compareOrders(of, other)
		if err != nil {
			return err
		}
		found[score][0].meanOf("", "", "", tau)
		found[score][1].meanOf("", "", "", overlap)
		return nil
	})
}

// evenly returns at most n reviews, evenly spaced.
func (s *Subject) evenly(n int) (places []int) {
	for i := 0; i < len(s.Texts); i += (len(s.Texts) + n - 1) / n {
		places = append(places, i)
	}
	return places
}

// infidelity asks about the reviews with random sets of their words set to zero.
func (s *Subject) infidelity(ctx context.Context, r *Result) error {
	n := len(s.Texts)
	falls, zeroed := make([][]float64, n), make([][][]int, n) // [review][draw]: fall of the margin, places set to zero
	err := s.Model.WithVectors(make([]float32, s.Model.Dim()), func(zero int32, _ []float32) error {
		for lo := 0; lo < n; lo += chunk {
			hi := min(lo+chunk, n)
			s.heard("infidelity", lo)
			var list []infer.Encoded // [review][whole, draws]
			for i, t := range s.Texts[lo:hi] {
				list = append(list, t.Encoded)
				random := rand.New(rand.NewPCG(s.Seed+1, uint64(t.Number)))
				for range infidelityDraws {
					places := random.Perm(len(t.Rows))[:int(math.Ceil(infidelityShare*float64(len(t.Rows))))]
					slices.Sort(places)
					rows := slices.Clone(t.Rows)
					for _, k := range places {
						rows[k] = zero
					}
					zeroed[lo+i] = append(zeroed[lo+i], places)
					list = append(list, infer.Encoded{Rows: rows})
				}
			}
			margins := make([]float64, len(list))
			err := s.Model.Each(ctx, list, func(j int, b *infer.Batch, k int) error {
				margins[j] = scores.Margin(b.Logits(k), s.Texts[lo+j/(infidelityDraws+1)].Class)
				return nil
			})
			if err != nil {
				return err
			}
			for i := lo; i < hi; i++ {
				of := margins[(i-lo)*(infidelityDraws+1):][:infidelityDraws+1]
				for _, m := range of[1:] {
					falls[i] = append(falls[i], of[0]-m)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.each(ctx, func(score *scores.Score, list [][]float32) error {
		rest := make([]float64, n)
		for i := range rest {
			sums := make([]float64, len(zeroed[i]))
			for d, places := range zeroed[i] {
				for _, k := range places {
					sums[d] += float64(list[i][k])
				}
			}
			rest[i] = unexplained(sums, falls[i])
		}
		r.meanOf("infidelity", score.Title, "", rest)
		return nil
	})
}

// unexplained returns min over β ≥ 0 of Σ(β·x − y)²/Σy², the share of y that the optimally
// scaled x does not explain. It is NaN if y is zero.
func unexplained(x, y []float64) float64 {
	var xx, xy, yy float64
	for i := range x {
		xx += float64(x[i] * x[i])
		xy += float64(x[i] * y[i])
		yy += float64(y[i] * y[i])
	}
	if xx == 0 || xy <= 0 {
		return 1 + 0*yy/yy // NaN of 0/0
	}
	return max(0, 1-float64(xy/xx*xy)/yy)
}

// sensitivity measures how far scores move when noise is added to the words' vectors.
func (s *Subject) sensitivity(ctx context.Context, r *Result) error {
	places := s.evenly(sensitivityReviews)
	return s.each(ctx, func(score *scores.Score, before [][]float32) error {
		if score.Name == scores.Random {
			return nil
		}
		if score.Repeats != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("Sensitivity of %s is omitted because %s.", score.Title, score.Repeats))
			return nil
		}
		worst := make([]float64, len(places))
		for draw := range sensitivityDraws {
			s.heard("sensitivity of "+score.Title, draw*len(s.Texts)/sensitivityDraws)
			texts, vectors := s.disturbed(places, draw)
			err := s.Model.WithVectors(vectors, func(first int32, _ []float32) error {
				for _, t := range texts {
					for k := range t.Rows {
						t.Rows[k] += first
					}
				}
				after, err := s.Asker.Compute(ctx, score, texts)
				for i := range after {
					worst[i] = max(worst[i], distance(before[places[i]], after[i]))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		r.medianOf("sensitivity", score.Title, "", worst)
		return nil
	})
}

// disturbed returns reviews with noise added to the vectors of their words. Their rows
// count the returned vectors.
func (s *Subject) disturbed(places []int, draw int) (texts []scores.Text, vectors []float32) {
	d := s.Model.Dim()
	for _, i := range places {
		t, from := s.Texts[i], len(vectors)
		rows := make([]int32, len(t.Rows))
		for k, row := range t.Rows {
			rows[k] = int32(len(vectors) / d)
			vectors = append(vectors, s.Model.Vector(row)...)
		}
		disturb(vectors[from:], simd.Key(s.Seed, fmt.Sprintf("sensitivity/%d/%d", t.Number, draw)))
		t.Rows = rows
		texts = append(texts, t)
	}
	return texts, vectors
}

// disturb adds uniform noise of ± sensitivityNoise times the root mean square.
func disturb(x []float32, key uint64) {
	square := 0.0
	for _, v := range x {
		square += float64(float64(v) * float64(v))
	}
	radius := float32(sensitivityNoise * math.Sqrt(square/float64(len(x))))
	noise := make([]float32, len(x))
	simd.Uniform(noise, key, -radius, radius)
	simd.Add(x, noise)
}

// distance returns ‖y − x‖/‖x‖, 0 if both are zero.
func distance(x, y []float32) float64 {
	var dd, xx float64
	for i := range x {
		d := float64(y[i]) - float64(x[i])
		dd += float64(d * d)
		xx += float64(float64(x[i]) * float64(x[i]))
	}
	if dd == 0 {
		return 0
	}
	return math.Sqrt(dd / xx)
}
