package explain

import (
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

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

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
