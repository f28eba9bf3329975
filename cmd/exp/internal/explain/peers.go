package explain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// peersOf returns the finished runs to compare a run with: its settings with another seed,
// its settings and seed with weights that are not learned, and its adversaries.
func peersOf(dir string, run *runs.Run, open func(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error)) []battery.Peer {
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
	var out []battery.Peer
	for _, r := range all {
		c := &r.Config
		add := func(kind, title string) {
			out = append(out, battery.Peer{ID: c.ID, Kind: kind, Title: title, Open: func(ctx context.Context) (*infer.Model, *infer.Split, error) { return open(ctx, r) }})
		}
		switch weights := c.Setting("attention"); {
		case r.Status.State != runs.Finished || c.ID == run.Config.ID || c.Digests["data"] != run.Config.Digests["data"]:
		case weights == "adversarial" && c.Setting("attention.base") == cited.String():
			add(battery.PeerAdversary, "adversary, λ = "+c.Setting("attention.lambda"))
		case alike(r, run, "seed"):
			add(battery.PeerSeed, battery.PeerSeed)
		case (weights == "uniform" || weights == "frozen") && alike(r, run, "attention"):
			add(battery.PeerControl, "attention="+weights)
		}
	}
	kinds := []string{battery.PeerSeed, battery.PeerControl, battery.PeerAdversary}
	slices.SortStableFunc(out, func(a, b battery.Peer) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return out
}

// alike reports whether two runs differ only in one setting.
func alike(a, b *runs.Run, but string) bool {
	x, y := a.Normalized(), b.Normalized()
	return x.Setting(but) != y.Setting(but) && x.Without(but) == y.Without(but)
}

// openPeer opens another run's model with the reviews that are asked about.
func (q *asked) openPeer(ctx context.Context, peer *runs.Run) (*infer.Model, *infer.Split, error) {
	m, err := infer.Open(peer, q.pool)
	if err != nil {
		return nil, nil, err
	}
	limit := peer.Config.General().Limit
	if q.o.on != "" {
		limit = 0
	}
	split, err := m.TestSplit(ctx, q.folder, q.data, limit, folder.Options{Warn: q.Warn})
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	return m, split.Draw(q.o.reviews, q.o.seed), nil
}

// retrainable prepares to train a run again on other words, with the model's own table; or
// it says why that is not possible. The runs are kept in the folder of --out and continue
// there; without --out they are deleted at the end.
func retrainable(ctx context.Context, a *cli.App, run *runs.Run, t *infer.Trained, dir string, o options) (*battery.Retraining, string, error) {
	if base := run.Config.Setting("attention.base"); base != "" {
		return nil, "it was trained against another run (" + base + "), which has read the words to remove", nil
	}
	p, err := plan.Of(&run.Config)
	if err != nil {
		return nil, "", err
	}
	epochs := o.epochsOf(run)
	set := map[string]string{"epochs": strconv.Itoa(epochs)}
	if !p.Run.ChooseOnTest {
		set["test"] = "last"
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if err := p.Set.Put(key, set[key], plan.FromCommandLine); err != nil {
			return nil, "", err
		}
	}
	r, end := a.Runner(dir)
	r.CheckpointEvery = 2 * time.Minute
	closing := func() error { end(); return nil }
	if o.out != "" {
		r.Dir = filepath.Join(o.out, "roar")
		err = os.MkdirAll(r.Dir, 0o777)
	} else if r.Dir, err = os.MkdirTemp("", "imdbexp-roar-"); err == nil {
		closing = func() error { end(); return os.RemoveAll(r.Dir) }
	}
	if err != nil {
		end()
		return nil, "", err
	}
	j, err := r.Job(ctx, p)
	jobs := []*training.Job{j}
	for seed := 1; seed < o.seeds && err == nil; seed++ {
		var other *plan.Plan
		if other, err = plan.Of(&j.Config); err == nil {
			if err = other.Set.Put("seed", strconv.FormatUint(p.Run.Seed+uint64(seed)*1000, 10), plan.FromCommandLine); err == nil {
				var next *training.Job
				next, err = r.Job(ctx, other)
				jobs = append(jobs, next)
			}
		}
	}
	switch {
	case err != nil:
	case !maps.Equal(j.Config.Digests, run.Config.Digests):
		err = errors.New("its data or vectors have changed, so it cannot be trained again")
	case !slices.Equal(t.Table.Words, j.Data.Table.Words):
		err = errors.New("its table of words differs from its data, so it cannot be trained again")
	}
	if err != nil {
		return nil, "", errors.Join(err, closing())
	}
	out := &battery.Retraining{Parts: []*dataset.Encoded{j.Data.Train, j.Data.Test}, Epochs: epochs, Seeds: o.seeds, Scores: o.retrainedScores(), Close: closing}
	if j.Data.Valid != nil {
		out.Parts = append(out.Parts, j.Data.Valid)
	}
	out.Train = func(ctx context.Context, what string, seed int, parts []*dataset.Encoded, heard func(int)) (int, int, error) {
		return trainOn(ctx, jobs[seed], fmt.Sprintf("%s/epoch %d/%s", run.Config.Digest, t.Epoch, what), parts, heard)
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

// usualSeeds is how many trainings roar makes for each number.
const usualSeeds = 3

// usualEpochs is how long roar trains by default, so that ten trainings stay cheap.
const usualEpochs = 5

// epochsOf returns for how many epochs roar trains a run.
func (o *options) epochsOf(run *runs.Run) int {
	own := run.Config.General().Epochs
	if o.epochs == 0 {
		return own
	}
	return min(o.epochs, own)
}

// retrainedScores returns the scores whose words roar removes.
func (o *options) retrainedScores() []string {
	if o.usualScores {
		return battery.RoarScores
	}
	return o.scores
}
