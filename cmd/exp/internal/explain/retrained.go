package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var retrained = Test{
	Name: "retrained", Title: "Retrained", Source: "Wiegreffe and Pinter 2019, sections 3.1, 3.2 and 4",
	Method: "Compares the run with others trained on the same data: with another seed, with weights that are uniform or never trained (attention=uniform, frozen), and adversarially, to give this run's answers with other weights (attention=adversarial). It measures how far the answers differ (total variation, 0 to 1), and the weights (Jensen–Shannon divergence, 0 to 0.693). " +
		"An adversary is evidence only if its weights differ more than another seed's, with the same answers.",
	Limits:  "An adversary that finds other weights shows that they exist, not that this run's are wrong. One that finds none may not have been trained well. Two seeds with different weights are two models.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence of weights": divergence},
	Peers:   true,
	lacks:   pools,
	run:     runRetrained,
	draw:    drawRetrained,
}

// comparedNames names the four numbers of each review.
var comparedNames = [4]string{"divergence of weights", "difference of answers", "same class", "accuracy"}

func runRetrained(ctx context.Context, s *Subject) (*Result, error) {
	if len(s.peers) == 0 {
		return &Result{Lacks: "no run to compare it with: train the same settings with seed=2, with attention=uniform or attention=frozen, or with attention=adversarial and attention.base= this run"}, nil
	}
	own := make([]reply, len(s.Texts))
	if err := s.ask(ctx, s.Model, s.Reviews, func(i int, a reply) error { own[i] = a; return nil }); err != nil {
		return nil, err
	}
	var titles []string
	of := map[string][]*[4][]float64{} // the peers of a title
	for _, p := range s.peers {
		s.heard(p.title, 0)
		one, err := s.compare(ctx, p, own)
		if err != nil {
			return nil, err
		}
		if of[p.title] == nil {
			titles = append(titles, p.title)
		}
		of[p.title] = append(of[p.title], one)
	}
	r := &Result{}
	for _, title := range titles {
		for k, name := range comparedNames {
			mean := make([]float64, len(own))
			for i := range mean {
				for _, one := range of[title] {
					mean[i] += one[k][i]
				}
				mean[i] /= float64(len(of[title]))
			}
			if k < 2 || len(of[title]) > 1 { // a mean over peers is not 0 or 1
				r.meanOf(name, title, "", mean)
			} else {
				r.shareOf(name, title, "", mean)
			}
		}
	}
	right := 0.0
	for i, t := range s.Texts {
		right += truth(t.Class == int(s.Reviews.Labels[i]))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the run's own accuracy on these reviews: %.3f", right/float64(len(own))))
	return r, nil
}

// reply is the answer to one review, with the weights of its words; they are empty if the
// model has none.
type reply struct{ p, weights []float32 }

// compare asks a peer about the reviews and compares its answers with the run's own.
func (s *Subject) compare(ctx context.Context, p peer, own []reply) (lists *[4][]float64, err error) {
	m, err := infer.Open(p.run, s.pool)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	reviews, err := s.testSet(ctx, m, p.run, folder.Options{Warn: s.Warn})
	if err != nil {
		return nil, err
	}
	reviews = reviews.Sample(s.o.reviews, s.o.seed)
	if !slices.Equal(reviews.Names, s.Reviews.Names) {
		return nil, fmt.Errorf("%s has other reviews", p.title)
	}
	lists = &[4][]float64{}
	for k := range lists {
		lists[k] = nans(len(own))
	}
	err = s.ask(ctx, m, reviews, func(i int, a reply) error {
		switch {
		case len(a.weights) == 0:
		case len(a.weights) != len(own[i].weights):
			return fmt.Errorf("%s: the words of %s differ", p.title, s.Reviews.Names[i])
		default:
			lists[0][i] = jensenShannon(float64s(own[i].weights), float64s(a.weights))
		}
		lists[1][i] = totalVariation(own[i].p, a.p)
		class := simd.ArgMax(a.p)
		lists[2][i], lists[3][i] = truth(class == s.Texts[i].Class), truth(class == int(s.Reviews.Labels[i]))
		return nil
	})
	return lists, err
}

// ask calls f with a model's answer to each review.
func (s *Subject) ask(ctx context.Context, m *infer.Model, reviews *infer.Split, f func(i int, a reply) error) error {
	return m.Each(ctx, reviews.Texts, func(i int, b *infer.Batch, k int) (err error) {
		a := reply{p: slices.Clone(b.P(k))}
		if m.Pools() {
			a.weights, err = b.Attention(k)
		}
		return cmp.Or(err, f(i, a))
	})
}

// drawRetrained draws a dot for each kind of run, as in figure 5 of Wiegreffe and Pinter 2019.
func drawRetrained(r *Result) canvas.Figure {
	p := chart.LinePanel{X: "difference of answers", Y: "divergence of weights", XEnds: chart.Span{High: 0.05}, YEnds: chart.Span{High: 0.7}}
	for _, of := range r.scores() {
		x, y := r.overall(comparedNames[1], of), r.overall(comparedNames[0], of)
		if y == y {
			p.XEnds.High = max(p.XEnds.High, math.Ceil(20*x)/20)
			p.Curves = append(p.Curves, chart.Numbered(of, len(p.Curves), []chart.Point{{X: x, Y: y}}))
		}
	}
	if p.Curves == nil {
		return canvas.Figure{}
	}
	return chart.Figure("Other runs: how far their answers and their weights are from this one's", p)
}

// peer is another run to compare a run with.
type peer struct {
	title string // such as attention=uniform; several peers with one title are averaged
	run   *runs.Run
}

// peersOf returns the finished runs to compare a run with: its settings with another seed,
// its settings and seed with weights that are not learned, and its adversaries.
func peersOf(dir string, run *runs.Run) []peer {
	cited, err := run.Citation()
	if err != nil {
		return nil
	}
	all, _ := runs.List(dir) // unreadable runs are ignored
	slices.SortStableFunc(all, func(a, b *runs.Run) int {
		lambda := func(r *runs.Run) float64 {
			x, _ := strconv.ParseFloat(r.Config.Setting("attention.lambda"), 64)
			return x
		}
		return cmp.Or(cmp.Compare(lambda(a), lambda(b)), cmp.Compare(a.Config.Seed(), b.Config.Seed()), cmp.Compare(a.Config.Setting("attention"), b.Config.Setting("attention")))
	})
	var seeds, controls, adversaries []peer
	for _, r := range all {
		c := &r.Config
		switch weights := c.Setting("attention"); {
		case r.Status.State != runs.Finished || c.ID == run.Config.ID || c.Digests["data"] != run.Config.Digests["data"]:
		case weights == "adversarial" && c.Setting("attention.base") == cited.String():
			adversaries = append(adversaries, peer{"adversary, λ = " + c.Setting("attention.lambda"), r})
		case alike(r, run, "seed"):
			seeds = append(seeds, peer{"another seed", r})
		case (weights == "uniform" || weights == "frozen") && alike(r, run, "attention"):
			controls = append(controls, peer{"attention=" + weights, r})
		}
	}
	return slices.Concat(seeds, controls, adversaries)
}

// alike reports whether two runs differ only in one setting.
func alike(a, b *runs.Run, but string) bool {
	x, y := a.Normalized(), b.Normalized()
	return x.Setting(but) != y.Setting(but) && x.Without(but) == y.Without(but)
}
