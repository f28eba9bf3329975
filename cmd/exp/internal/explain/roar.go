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

// roarScores are the scores that roar uses by default.
var roarScores = []string{scores.Attention, scores.Gradient, scores.Random}

// roarShares are the shares of a review's words that are removed.
var roarShares = []float64{0.1, 0.3, 0.5}

// roarSeeds is the number of trainings for each accuracy, roarEpochs their max number of
// epochs, to save time.
const roarSeeds, roarEpochs = 3, 5

// retraining trains a subject's run again on other words. It is not safe for concurrent use.
type retraining struct {
	parts []*dataset.Encoded // train, test and, if the run chooses by it, validation; rows of the model's table
	// train trains on parts instead of the run's own data and returns the number of test
	// reviews predicted right. what identifies the parts; seed is from 0 to roarSeeds − 1, the run's own first.
	train func(ctx context.Context, what string, seed int, parts []*dataset.Encoded, heard func(epoch int)) (right, reviews int, err error)
	close func() error
}

func runROAR(ctx context.Context, s *Subject) (r *Result, err error) {
	t, lacks, err := s.retrain(ctx)
	if lacks != "" || err != nil {
		return &Result{Lacks: lacks}, err
	}
	defer func() { err = cmp.Or(err, t.close()) }()
	var wanted []*scores.Score
	for _, score := range s.Scores {
		if slices.Contains(s.o.removed, score.Name) {
			wanted = append(wanted, score)
		}
	}
	epochs := s.roarEpochs()
	trainings, done := (1+len(wanted)*len(roarShares))*roarSeeds, 0
	train := func(what, called string, parts []*dataset.Encoded) (accuracies []Value, err error) {
		var out Result
		for seed := range roarSeeds {
			right, n, err := t.train(ctx, what, seed, parts, func(epoch int) {
				s.heard("training "+called, (done*epochs+epoch)*len(s.Texts)/(trainings*epochs))
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
	whole, err := train("whole", "with all words", t.parts)
	if err != nil {
		return nil, err
	}
	for _, score := range wanted {
		without, err := s.erased(ctx, score, t.parts)
		if err != nil {
			return nil, err
		}
		r.overSeeds("accuracy with all words", score.Title, "", whole)
		for k, share := range roarShares {
			name := fmt.Sprintf("without %g %%", 100*share)
			left, err := train(fmt.Sprintf("%s/%d/%g", score.Name, s.o.seed, share), name+", "+score.Title, without[k])
			if err != nil {
				return nil, err
			}
			r.overSeeds(name, score.Title, "", left)
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("each number is the mean of %s of %s with the run's settings and different seeds, on all of its reviews; intervals are over seeds and reviews", format.Counted(roarSeeds, "training"), format.Counted(epochs, "epoch")))
	return r, nil
}

// erased returns the parts without the words with the largest scores, for each of
// roarShares. Signed scores are ranked by absolute value: without only the words that speak
// for the predicted class, the remaining words would reveal the class.
func (s *Subject) erased(ctx context.Context, score *scores.Score, parts []*dataset.Encoded) ([][]*dataset.Encoded, error) {
	out := make([][]*dataset.Encoded, len(roarShares))
	for p, part := range parts {
		for k := range out {
			out[k] = append(out[k], &dataset.Encoded{Offsets: []int{0}})
		}
		for lo := 0; lo < part.Len(); lo += chunk {
			s.heard(fmt.Sprintf("%s of the reviews to train on, part %d", score.Title, p+1), lo*len(s.Texts)/part.Len())
			var list []infer.Encoded
			for b := lo; b < min(lo+chunk, part.Len()); b++ {
				list = append(list, infer.Encoded{Rows: part.Words(b), Name: part.Names[b]})
			}
			texts, _, err := s.Asker.Answered(ctx, list)
			if err != nil {
				return nil, err
			}
			for i := range texts {
				texts[i].Number = p<<32 + lo + i
			}
			found, err := s.Asker.Compute(ctx, score, texts)
			if err != nil {
				return nil, err
			}
			for i, t := range texts {
				order := infer.Argsort(infer.Abs(found[i]))
				for k, share := range roarShares {
					left, _ := divide(t.Encoded, order[:int(math.Ceil(share*float64(len(order))))])
					out[k][p].Add(left.Rows, part.Labels[lo+i], part.Names[lo+i])
				}
			}
		}
	}
	return out, nil
}

func (s *Subject) roarEpochs() int { return min(roarEpochs, s.run.Config.General().Epochs) }

// retrainable prepares to train the run again on other words, with the model's own table; or
// it returns why that is not possible. The runs are kept in the folder of --out and continue
// there; without --out they are deleted at the end.
func (s *Subject) retrainable(ctx context.Context) (_ *retraining, lacks string, err error) {
	config := &s.run.Config
	if base := config.Setting("attention.base"); base != "" {
		return nil, "it was trained against another run (" + base + "), which has read the words to remove", nil
	}
	r, end := s.Runner(s.folder)
	r.CheckpointEvery = 2 * time.Minute
	closing := func() error { end(); return nil }
	if s.o.out != "" {
		r.Dir = filepath.Join(s.o.out, "roar")
		err = os.MkdirAll(r.Dir, 0o777)
	} else if r.Dir, err = os.MkdirTemp("", "imdbexp-roar-"); err == nil {
		closing = func() error { end(); return os.RemoveAll(r.Dir) }
	}
	var jobs []*training.Job
	for seed := uint64(0); seed < roarSeeds && err == nil; seed++ {
		var p *plan.Plan
		if p, err = plan.Of(config); err != nil {
			break
		}
		set := map[string]string{"epochs": strconv.Itoa(s.roarEpochs()), "seed": strconv.FormatUint(config.Seed()+seed*1000, 10)}
		if !p.Run.ChooseOnTest {
			set["test"] = "last"
		}
		for key, value := range set {
			err = cmp.Or(err, p.Set.Put(key, value, plan.FromCommandLine))
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
	case !slices.Equal(s.trained.Table.Words, jobs[0].Data.Table.Words):
		err = errors.New("its table of words differs from its data, so it cannot be trained again")
	}
	if err != nil {
		return nil, "", errors.Join(err, closing())
	}
	data := jobs[0].Data
	out := &retraining{parts: []*dataset.Encoded{data.Train, data.Test}, close: closing}
	if data.Valid != nil {
		out.parts = append(out.parts, data.Valid)
	}
	out.train = func(ctx context.Context, what string, seed int, parts []*dataset.Encoded, heard func(int)) (int, int, error) {
		return trainOn(ctx, jobs[seed], fmt.Sprintf("%s/epoch %d/%s", config.Digest, s.trained.Epoch, what), parts, heard)
	}
	return out, "", nil
}

// trainOn trains a job on other words, unless that run is finished. what identifies the
// words.
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
