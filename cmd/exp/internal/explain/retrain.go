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

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
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

var roar = Test{
	Name: "roar", Title: "Erased and retrained", Source: "Hooker et al. 2019 (ROAR)",
	Slow: "it trains the model again for each score and share of words",
	Method: "Removes the words with the largest scores, by size, from every review of train and test, and trains the model again on the rest. If these words carried the information about the label, the new model is less accurate than one that lost as many random words. " +
		"Unlike in erasure, the model has learned from texts with holes, so the holes do not cause the fall.",
	Limits:  "The new model may use remaining words that the old one ignored: if two words carry the same information, the accuracy stays although the score was right. The remaining words may reveal which were removed, which makes a score look worse. The test is about words that matter overall, not about one answer.",
	Version: 2,
	lacks:   countsNgrams,
	run:     runROAR,
}

// RoarScores are the scores that roar uses by default.
var RoarScores = []string{scores.Attention, scores.Gradient, scores.Random}

// roarShares are the shares of a review's words that are removed.
var roarShares = []float64{0.1, 0.3, 0.5}

// Retraining trains a subject's run again on other words. It is not safe for concurrent use.
type Retraining struct {
	Parts  []*dataset.Encoded // train, test and, if the run chooses by it, validation; rows of the model's table
	Epochs int                // of each training
	Seeds  int                // trainings for each number, with different seeds
	Scores []string           // whose words are removed
	// Train trains on parts instead of the run's own data and returns how many of its test
	// reviews are right. what identifies the parts; seed is from 0 to Seeds − 1, the run's own first.
	Train func(ctx context.Context, what string, seed int, parts []*dataset.Encoded, heard func(epoch int)) (right, reviews int, err error)
	Close func() error
}

func runROAR(ctx context.Context, s *Subject) (r *Result, err error) {
	if s.Retrain == nil {
		return &Result{Lacks: "its training cannot be repeated here"}, nil
	}
	t, lacks, err := s.Retrain(ctx)
	if lacks != "" || err != nil {
		return &Result{Lacks: lacks}, err
	}
	defer func() { err = cmp.Or(err, t.Close()) }()
	wanted := slices.DeleteFunc(slices.Clone(s.Scores), func(x *scores.Score) bool { return !slices.Contains(t.Scores, x.Name) })
	trainings, done := (1+len(wanted)*len(roarShares))*t.Seeds, 0
	train := func(what, called string, parts []*dataset.Encoded) (accuracies []Value, err error) {
		var out Result
		for seed := range t.Seeds {
			right, n, err := t.Train(ctx, what, seed, parts, func(epoch int) {
				s.heard("training "+called, (done*t.Epochs+epoch)*len(s.Texts)/(trainings*t.Epochs))
			})
			if err != nil {
				return nil, err
			}
			out.share("", "", "", right, n)
			done++
		}
		return out.Values, nil
	}
	r = &Result{}
	whole, err := train("whole", "with all words", t.Parts)
	if err != nil {
		return nil, err
	}
	for _, score := range wanted {
		without, err := s.erased(ctx, score, t.Parts)
		if err != nil {
			return nil, err
		}
		r.overSeeds("accuracy with all words", score.Title, "", whole)
		for k, share := range roarShares {
			name := fmt.Sprintf("without %g %%", 100*share)
			left, err := train(fmt.Sprintf("%s/%d/%g", score.Name, s.Seed, share), name+", "+score.Title, without[k])
			if err != nil {
				return nil, err
			}
			r.overSeeds(name, score.Title, "", left)
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("each number is the mean of %s of %s with the run's settings and different seeds, on all of its reviews; intervals are over seeds and reviews", format.Counted(t.Seeds, "training"), format.Counted(t.Epochs, "epoch")))
	return r, nil
}

// erased returns the parts without the words with the largest scores, for each of
// roarShares. Scores with signs count by their size: if only the words were removed that
// speak for the predicted class, the remaining words would reveal the class.
func (s *Subject) erased(ctx context.Context, score *scores.Score, parts []*dataset.Encoded) ([][]*dataset.Encoded, error) {
	out := make([][]*dataset.Encoded, len(roarShares))
	for p, part := range parts {
		without := make([]*dataset.Encoded, len(roarShares))
		for k := range without {
			without[k] = &dataset.Encoded{Offsets: []int{0}, Labels: part.Labels, Names: part.Names}
			out[k] = append(out[k], without[k])
		}
		for lo := 0; lo < part.Len(); lo += chunk {
			s.heard(fmt.Sprintf("%s of the reviews to train on, part %d", score.Title, p+1), lo*len(s.Texts)/part.Len())
			var list []infer.Encoded
			for b := lo; b < min(lo+chunk, part.Len()); b++ {
				list = append(list, infer.Encoded{Rows: part.Words(b)})
			}
			texts, _, err := s.Asker.Answered(ctx, list)
			if err != nil {
				return nil, infer.Named(err, part.Names[lo:])
			}
			for i := range texts {
				texts[i].Number = p<<32 + lo + i
			}
			found, err := s.Asker.Compute(ctx, score, texts)
			if err != nil {
				return nil, infer.Named(err, part.Names[lo:])
			}
			for i, t := range texts {
				order := infer.Falling(infer.Size(found[i]))
				for k, share := range roarShares {
					left, _ := divide(t.Encoded, order[:int(math.Ceil(share*float64(len(order))))])
					without[k].IDs = append(without[k].IDs, left.Rows...)
					without[k].Offsets = append(without[k].Offsets, len(without[k].IDs))
				}
			}
		}
	}
	return out, nil
}
