package explain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

var retrained = Test{
	Name: "retrained", Title: "Retrained", Source: "Wiegreffe and Pinter 2019, sections 3.1, 3.2 and 4",
	Method: "Compares the run with others trained on the same data: with another seed, with weights that are uniform or never trained (attention=uniform, frozen), and adversarially, to give this run's answers with other weights (attention=adversarial). How far do the answers differ (total variation, 0 to 1), and how far the weights (Jensen–Shannon divergence, 0 to 0.693)? " +
		"An adversary says something about attention as far as it goes beyond another seed, with the same answers.",
	Limits:  "An adversary that finds other weights shows that they exist, not that this run's are wrong. One that finds none may not have been trained well. Two seeds with different weights are two models.",
	Version: 2,
	ranges:  map[string]stats.Interval{"divergence of weights": divergence},
	Peers:   true,
	lacks:   pools,
	run:     runRetrained,
	draw:    drawRetrained,
}

// compared are four numbers of each review, of one peer or the means over the peers of a
// title.
type compared struct {
	title string
	peers int
	lists [4][]float64 // as comparedNames
}

var comparedNames = [4]string{"divergence of weights", "difference of answers", "same class", "accuracy"}

func runRetrained(ctx context.Context, s *Subject) (*Result, error) {
	if len(s.Peers) == 0 {
		return &Result{Lacks: "no run to compare it with: train the same settings with seed=2, with attention=uniform or attention=frozen, or with attention=adversarial and attention.base= this run"}, nil
	}
	own := make([]reply, len(s.Texts))
	if err := s.ask(ctx, s.Model, s.Reviews, func(i int, a reply) error { own[i] = a; return nil }); err != nil {
		return nil, err
	}
	r, dots := &Result{}, map[string]*Series{}
	var groups []*compared
	for _, peer := range s.Peers {
		s.heard(peer.Title, 0)
		one, err := s.compare(ctx, peer, own)
		if err != nil {
			return nil, err
		}
		if dots[peer.Kind] == nil {
			dots[peer.Kind] = &Series{Name: peer.Kind}
		}
		dots[peer.Kind].add(average(one.lists[1]), average(one.lists[0]))
		if k := slices.IndexFunc(groups, func(g *compared) bool { return g.title == peer.Title }); k >= 0 {
			groups[k].join(one)
		} else {
			groups = append(groups, one)
		}
	}
	for _, g := range groups {
		for k, list := range g.lists {
			for i := range list {
				list[i] /= float64(g.peers)
			}
			if k < 2 || g.peers > 1 { // a mean over peers is not 0 or 1
				r.meanOf(comparedNames[k], g.title, "", list)
			} else {
				r.shareOf(comparedNames[k], g.title, "", list)
			}
		}
	}
	for _, kind := range []string{PeerSeed, PeerAdversary, PeerControl} {
		if d := dots[kind]; d != nil {
			r.Series = append(r.Series, *d)
		}
	}
	right := 0.0
	for i, t := range s.Texts {
		right += truth(t.Class == int(s.Reviews.Labels[i]))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the run's own accuracy on these reviews: %.3f", right/float64(len(own))))
	return r, nil
}

// join adds the numbers of another peer with the same title.
func (c *compared) join(o *compared) {
	c.peers++
	for k, list := range o.lists {
		for i, x := range list {
			c.lists[k][i] += x
		}
	}
}

// reply is the answer to one review, with the weights of its words; they are empty if the
// model has none.
type reply struct{ p, weights []float32 }

// compare asks a peer about the reviews and compares its answers with the run's own.
func (s *Subject) compare(ctx context.Context, peer Peer, own []reply) (c *compared, err error) {
	m, reviews, err := peer.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if !slices.Equal(reviews.Names, s.Reviews.Names) {
		return nil, fmt.Errorf("%s has other reviews", peer.Title)
	}
	c = &compared{title: peer.Title, peers: 1}
	for k := range c.lists {
		c.lists[k] = nans(len(own))
	}
	err = s.ask(ctx, m, reviews, func(i int, a reply) error {
		if len(a.weights) > 0 {
			if len(a.weights) != len(own[i].weights) {
				return fmt.Errorf("%s: %s has other words there", peer.Title, s.Reviews.Names[i])
			}
			c.lists[0][i] = jensenShannon(float64s(own[i].weights), float64s(a.weights))
		}
		c.lists[1][i] = totalVariation(own[i].p, a.p)
		class := simd.ArgMax(a.p)
		c.lists[2][i], c.lists[3][i] = truth(class == s.Texts[i].Class), truth(class == int(s.Reviews.Labels[i]))
		return nil
	})
	return c, err
}

// ask calls f with a model's answer to each review.
func (s *Subject) ask(ctx context.Context, m *infer.Model, reviews *infer.Split, f func(i int, a reply) error) error {
	return m.Each(ctx, reviews.Texts, func(i int, b *infer.Batch, k int) error {
		a := reply{p: slices.Clone(b.P(k))}
		if m.Pools() {
			w, err := b.Attention(k)
			if err != nil {
				return err
			}
			a.weights = slices.Clone(w)
		}
		return f(i, a)
	})
}

// drawRetrained draws a dot for each run, as in figure 5 of Wiegreffe and Pinter 2019.
func drawRetrained(r *Result) []chart.Lines {
	d := chart.Lines{Name: "retrained", Title: "Other runs: how far their answers and their weights are from this one's"}
	p := chart.Panel{X: "difference of answers", Y: "divergence of weights", XAxis: chart.Axis{High: 0.05}, YAxis: chart.Axis{High: 0.7}}
	for _, s := range r.Series {
		for _, x := range s.X {
			p.XAxis.High = max(p.XAxis.High, math.Ceil(20*float64(x))/20)
		}
	}
	for _, s := range r.Series {
		d.Panels = append(d.Panels, p.Cloud(s.Name, float64s(s.X), float64s(s.Y), 1))
	}
	return []chart.Lines{d}
}

// Peer is another run to compare a run with.
type Peer struct {
	ID    string // of the run
	Kind  string // such as PeerSeed
	Title string // such as attention=uniform; several peers with one title are averaged
	// Open returns its model and its reviews, which are the subject's; close the model.
	Open func(ctx context.Context) (*infer.Model, *infer.Split, error)
}

// The kinds of peers.
const (
	PeerSeed      = "another seed"
	PeerControl   = "other weights"
	PeerAdversary = "adversary"
)

// peersOf returns the finished runs to compare a run with: its settings with another seed,
// its settings and seed with weights that are not learned, and its adversaries.
func peersOf(dir string, run *runs.Run, open func(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error)) []Peer {
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
	of := map[string][]Peer{} // by kind
	for _, r := range all {
		c := &r.Config
		add := func(kind, title string) {
			of[kind] = append(of[kind], Peer{c.ID, kind, title, func(ctx context.Context) (*infer.Model, *infer.Split, error) { return open(ctx, r) }})
		}
		switch weights := c.Setting("attention"); {
		case r.Status.State != runs.Finished || c.ID == run.Config.ID || c.Digests["data"] != run.Config.Digests["data"]:
		case weights == "adversarial" && c.Setting("attention.base") == cited.String():
			add(PeerAdversary, "adversary, λ = "+c.Setting("attention.lambda"))
		case alike(r, run, "seed"):
			add(PeerSeed, PeerSeed)
		case (weights == "uniform" || weights == "frozen") && alike(r, run, "attention"):
			add(PeerControl, "attention="+weights)
		}
	}
	return slices.Concat(of[PeerSeed], of[PeerControl], of[PeerAdversary])
}

// alike reports whether two runs differ only in one setting.
func alike(a, b *runs.Run, but string) bool {
	x, y := a.Normalized(), b.Normalized()
	return x.Setting(but) != y.Setting(but) && x.Without(but) == y.Without(but)
}

// usualSeeds is how many trainings roar makes for each number, usualEpochs how long each is,
// so that ten trainings stay cheap.
const usualSeeds, usualEpochs = 3, 5

// epochsOf returns for how many epochs roar trains a run.
func (o *options) epochsOf(run *runs.Run) int {
	own := run.Config.General().Epochs
	if o.epochs == 0 {
		return own
	}
	return min(o.epochs, own)
}

// retrainable prepares to train the run again on other words, with the model's own table; or
// it says why that is not possible. The runs are kept in the folder of --out and continue
// there; without --out they are deleted at the end.
func (q *asked) retrainable(ctx context.Context) (_ *Retraining, lacks string, err error) {
	config := &q.run.Config
	if base := config.Setting("attention.base"); base != "" {
		return nil, "it was trained against another run (" + base + "), which has read the words to remove", nil
	}
	p, err := plan.Of(config)
	if err != nil {
		return nil, "", err
	}
	epochs := q.o.epochsOf(q.run)
	err = p.Set.Put("epochs", strconv.Itoa(epochs), plan.FromCommandLine)
	if err == nil && !p.Run.ChooseOnTest {
		err = p.Set.Put("test", "last", plan.FromCommandLine)
	}
	if err != nil {
		return nil, "", err
	}
	r, end := q.Runner(q.folder)
	r.CheckpointEvery = 2 * time.Minute
	closing := func() error { end(); return nil }
	if q.o.out != "" {
		r.Dir = filepath.Join(q.o.out, "roar")
		err = os.MkdirAll(r.Dir, 0o777)
	} else if r.Dir, err = os.MkdirTemp("", "imdbexp-roar-"); err == nil {
		closing = func() error { end(); return os.RemoveAll(r.Dir) }
	}
	var jobs []*training.Job
	for seed := 0; seed < q.o.seeds && err == nil; seed++ {
		if seed > 0 {
			if p, err = plan.Of(&jobs[0].Config); err == nil {
				err = p.Set.Put("seed", strconv.FormatUint(config.Seed()+uint64(seed)*1000, 10), plan.FromCommandLine)
			}
		}
		var j *training.Job
		if err == nil {
			j, err = r.Job(ctx, p)
		}
		jobs = append(jobs, j)
	}
	switch {
	case err != nil:
	case !maps.Equal(jobs[0].Config.Digests, config.Digests):
		err = errors.New("its data or vectors have changed, so it cannot be trained again")
	case !slices.Equal(q.as.Table.Words, jobs[0].Data.Table.Words):
		err = errors.New("its table of words differs from its data, so it cannot be trained again")
	}
	if err != nil {
		return nil, "", errors.Join(err, closing())
	}
	data := jobs[0].Data
	out := &Retraining{Parts: []*dataset.Encoded{data.Train, data.Test}, Epochs: epochs, Seeds: q.o.seeds, Scores: q.o.removed, Close: closing}
	if data.Valid != nil {
		out.Parts = append(out.Parts, data.Valid)
	}
	out.Train = func(ctx context.Context, what string, seed int, parts []*dataset.Encoded, heard func(int)) (int, int, error) {
		return trainOn(ctx, jobs[seed], fmt.Sprintf("%s/epoch %d/%s", config.Digest, q.as.Epoch, what), parts, heard)
	}
	return out, "", nil
}

// trainOn trains a job on other words, unless it has been trained before. what identifies
// the words.
func trainOn(ctx context.Context, j *training.Job, what string, parts []*dataset.Encoded, heard func(epoch int)) (right, reviews int, err error) {
	d, now := *j.Data, *j
	d.Digests = maps.Clone(d.Digests)
	d.Digests["data"] = fmt.Sprintf("%x", sha256.Sum256([]byte(d.Digests["data"]+" "+what)))
	if d.Train, d.Test = parts[0], parts[1]; len(parts) > 2 {
		d.Valid = parts[2]
	}
	now.Data, now.Config = &d, j.Plan.Config(d.Digests)
	now.Config.Classes, now.Config.Data = d.Classes, d.Facts()
	out, err := now.Run(ctx, training.Hooks{Epoch: func(m runs.Metrics, _ runs.Timing) { heard(m.Epoch) }})
	if err != nil {
		return 0, 0, err
	}
	answers, err := out.Run.Predictions()
	if err != nil {
		return 0, 0, err
	}
	for _, row := range answers.Rows {
		if row.Predicted == row.Label {
			right++
		}
	}
	return right, len(answers.Rows), nil
}
