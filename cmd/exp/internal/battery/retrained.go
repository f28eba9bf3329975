package battery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/adversary"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var retrained = Test{
	Name: "retrained", Title: "Trained anew", Source: "Wiegreffe and Pinter 2019, sections 3.1, 3.2 and 4",
	Says: "Holds the run against others that were trained on the same data: with another seed, with weights that are uniform or never trained (attention=uniform, frozen), and adversarially, to answer as this run does and to look elsewhere (attention=adversarial). How far do the answers differ (total variation, 0 to 1), and how far the weights (Jensen–Shannon divergence, 0 to 0.693)? " +
		"An adversary says something about attention as far as it goes beyond what another seed does, with the same answers.",
	Cannot:  "An adversary that finds other weights shows that they exist, not that this run's are wrong; one that finds none may not have been trained well. Two seeds that look elsewhere are two models.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence of weights": divergence},
	Peers:   true,
	lacks:   pools,
	run:     runRetrained,
	draw:    drawRetrained,
}

// Peer is another run that a run is held against.
type Peer struct {
	Kind  string // such as PeerSeed
	Title string // such as attention=uniform; of several with one title the mean counts
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
	groups, order := map[string]*together{}, []string(nil)
	dots := map[string]*Series{}
	for _, peer := range s.Peers {
		s.heard(peer.Title, 0)
		one := newTogether(len(self))
		err := s.against(ctx, peer, func(i int, p, w []float32) error {
			if len(w) != len(self[i].w) && len(w) > 0 {
				return fmt.Errorf("%s: %s has other words there", peer.Title, s.Reviews.Names[i])
			}
			one.change[i] = totalVariation(self[i].p, p)
			if len(w) > 0 {
				one.distance[i] = adversary.Distance(wide(self[i].w), wide(w))
			}
			c := largest(p)
			one.same[i], one.right[i] = truth(c == s.Texts[i].Class), truth(c == int(s.Reviews.Labels[i]))
			return nil
		})
		if err != nil {
			return nil, err
		}
		if groups[peer.Title] == nil {
			groups[peer.Title], order = newTogether(len(self)), append(order, peer.Title)
		}
		groups[peer.Title].add(one)
		if dots[peer.Kind] == nil {
			dots[peer.Kind] = &Series{Name: peer.Kind}
		}
		dots[peer.Kind].X = append(dots[peer.Kind].X, Number(average(one.change)))
		dots[peer.Kind].Y = append(dots[peer.Kind].Y, Number(average(one.distance)))
	}
	for _, title := range order {
		g := groups[title]
		g.share()
		r.meanOf("divergence of weights", title, "", g.distance)
		r.meanOf("difference of answers", title, "", g.change)
		shares := r.shareOf
		if g.peers > 1 { // a review's number is a mean over them, not 0 or 1
			shares = r.meanOf
		}
		shares("same class", title, "", g.same)
		shares("accuracy", title, "", g.right)
	}
	for _, kind := range []string{PeerSeed, PeerAdversary, PeerControl} {
		if d := dots[kind]; d != nil {
			r.Series = append(r.Series, *d)
		}
	}
	right := make([]float64, len(self))
	for i, t := range s.Texts {
		right[i] = truth(t.Class == int(s.Reviews.Labels[i]))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the run's own accuracy on these reviews: %.3f", average(right)))
	return r, nil
}

// together are numbers of each review, the mean over the peers of one title.
type together struct {
	change, distance, same, right []float64
	peers                         int
}

func newTogether(n int) *together {
	return &together{make([]float64, n), nans(n), make([]float64, n), make([]float64, n), 0}
}

func (t *together) lists(o *together) [][2][]float64 {
	return [][2][]float64{{t.change, o.change}, {t.distance, o.distance}, {t.same, o.same}, {t.right, o.right}}
}

func (t *together) add(o *together) {
	if t.peers++; t.peers == 1 {
		copy(t.distance, make([]float64, len(t.distance)))
	}
	for _, l := range t.lists(o) {
		for i, x := range l[1] {
			l[0][i] += x
		}
	}
}

func (t *together) share() {
	for _, l := range t.lists(t) {
		for i := range l[0] {
			l[0][i] /= float64(t.peers)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// against hears the probabilities and weights of each review from a peer.
func (s *Subject) against(ctx context.Context, peer Peer, f func(i int, p, w []float32) error) (err error) {
	m, reviews, err := peer.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if !slices.Equal(reviews.Names, s.Reviews.Names) {
		return fmt.Errorf("%s has other reviews", peer.Title)
	}
	var unlike error
	err = s.ask(ctx, m, reviews, func(i int, p, w []float32) {
		if bad := f(i, p, w); unlike == nil {
			unlike = bad
		}
	})
	return cmp.Or(err, unlike)
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
	if d.Groups == nil {
		return nil, nil
	}
	f, err := d.Figure()
	return []canvas.Figure{f}, err
}
