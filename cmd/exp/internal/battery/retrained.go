package battery

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/adversary"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

var retrained = Test{
	Name: "retrained", Title: "Trained anew", Source: "Wiegreffe and Pinter 2019, sections 3.1, 3.2 and 4",
	Says: "Holds the run against others that were trained on the same data: with another seed, with weights that are uniform or never trained (attention=uniform, frozen), and adversarially, to answer as this run does and to look elsewhere (attention=adversarial). How far do the answers differ (total variation, 0 to 1), and how far the weights (Jensen–Shannon divergence, 0 to 0.693)? " +
		"An adversary says something about attention as far as it goes beyond what another seed does, with the same answers.",
	Cannot:  "An adversary that finds other weights shows that they exist, not that this run's are wrong; one that finds none may not have been trained well. Two seeds that look elsewhere are two models.",
	Version: 1,
	Peers:   true,
	lacks:   pools,
	run:     runRetrained,
	draw:    drawRetrained,
}

// Peer is another run that a run is held against.
type Peer struct {
	Kind  string // such as PeerSeed
	Title string // such as seed 2
	// Open returns its model and its reviews, the same as the subject's; close the model.
	Open func(ctx context.Context) (*infer.Model, *infer.Split, error)
}

// The kinds of peers.
const (
	PeerSeed      = "another seed"
	PeerControl   = "other weights"
	PeerAdversary = "adversary"
)

func runRetrained(ctx context.Context, s *Subject) (*Result, error) {
	if len(s.Peers) == 0 {
		return &Result{Lacks: "there is no run to hold it against: the same settings with seed=2, with attention=uniform or attention=frozen, or with attention=adversarial and attention.base= this run"}, nil
	}
	type own struct{ p, w []float32 }
	self := make([]own, len(s.Texts))
	err := s.ask(ctx, s.Model, s.Reviews, func(i int, p, w []float32) { self[i] = own{p, w} })
	if err != nil {
		return nil, err
	}
	r := &Result{}
	dots := map[string]*Series{}
	for _, peer := range s.Peers {
		s.heard(peer.Title, 0)
		m, reviews, err := peer.Open(ctx)
		if err != nil {
			return nil, err
		}
		change, distance, right, same := nans(len(self)), nans(len(self)), 0, 0
		var unlike error
		err = s.ask(ctx, m, reviews, func(i int, p, w []float32) {
			if reviews.Names[i] != s.Reviews.Names[i] || len(w) != len(self[i].w) && len(w) > 0 {
				unlike = fmt.Errorf("%s: %s has other words there", peer.Title, s.Reviews.Names[i])
				return
			}
			change[i] = totalVariation(self[i].p, p)
			if len(w) > 0 {
				distance[i] = adversary.Distance(wide(self[i].w), wide(w))
			}
			c := largest(p)
			if c == s.Texts[i].Class {
				same++
			}
			if c == int(s.Reviews.Labels[i]) {
				right++
			}
		})
		if closing := m.Close(); err == nil {
			err = closing
		}
		if err == nil {
			err = unlike
		}
		if err != nil {
			return nil, err
		}
		r.meanOf("divergence of weights", peer.Title, "", distance)
		r.meanOf("difference of answers", peer.Title, "", change)
		r.share("same class", peer.Title, "", same, len(self))
		r.share("accuracy", peer.Title, "", right, len(self))
		if dots[peer.Kind] == nil {
			dots[peer.Kind] = &Series{Name: peer.Kind}
		}
		dots[peer.Kind].X = append(dots[peer.Kind].X, Number(average(change)))
		dots[peer.Kind].Y = append(dots[peer.Kind].Y, Number(average(distance)))
	}
	for _, kind := range []string{PeerSeed, PeerAdversary, PeerControl} {
		if d := dots[kind]; d != nil {
			r.Series = append(r.Series, *d)
		}
	}
	right := 0
	for i, t := range s.Texts {
		if t.Class == int(s.Reviews.Labels[i]) {
			right++
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the run's own accuracy on these reviews: %.3f", float64(right)/float64(len(self))))
	return r, nil
}

// ask hears the probabilities and the weights of each review from a model; no weights
// where it has none.
func (s *Subject) ask(ctx context.Context, m *infer.Model, reviews *infer.Split, f func(i int, p, w []float32)) error {
	return m.Each(ctx, reviews.Texts, func(i int, b *infer.Batch, k int) error {
		var w []float32
		if m.Pools() {
			var err error
			if w, err = b.Attention(k); err != nil {
				return err
			}
		}
		f(i, append([]float32(nil), b.P(k)...), append([]float32(nil), w...))
		return nil
	})
}

func largest(p []float32) (c int) {
	for i, v := range p {
		if v > p[c] {
			c = i
		}
	}
	return c
}

func average(list []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range list {
		if x == x {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

// drawRetrained draws a dot a run, as figure 5 of Wiegreffe and Pinter 2019.
func drawRetrained(r *Result, head Head) ([]canvas.Figure, error) {
	d := chart.Dots{
		Name: head.Name + "-retrained", Title: "Other runs: how far their answers and their weights are from this one's", Caption: head.About,
		X: "difference of answers", Y: "divergence of weights", XHigh: 0.05, YHigh: 0.7,
	}
	for _, s := range r.Series {
		for _, x := range s.X {
			d.XHigh = max(d.XHigh, math.Ceil(20*float64(x))/20)
		}
		d.Groups = append(d.Groups, chart.DotGroup{Name: s.Name, X: floats(s.X), Y: floats(s.Y)})
	}
	f, err := d.Figure()
	return []canvas.Figure{f}, err
}
