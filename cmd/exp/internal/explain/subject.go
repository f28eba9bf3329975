package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Subject is a run's model with the reviews that it predicts in the tests. It is not safe
// for concurrent use.
type Subject struct {
	*cli.App
	Model   *infer.Model
	Reviews *infer.Split
	Texts   []scores.Text // the reviews with the predicted class; nil before answer
	P       []float64     // probability of that class
	Scores  []*scores.Score
	Asker   *scores.Asker
	Heard   func(what string, done, of int) // reports progress; may be nil

	o         options
	run       *runs.Run
	folder    string // of data
	pool      *ops.Pool
	closePool func()
	trained   *infer.Trained
	digest    string // of the whole test set
	all       int    // number of its reviews
	peers     []peer // other runs to compare with

	// retrain prepares to train the run again, or returns why that is impossible.
	retrain func(ctx context.Context) (r *retraining, lacks string, err error)

	complete scores.Completeness // of integrated gradients, once computed
	computed map[*scores.Score][][]float32
	within   map[*scores.Score]string // how exact its estimates are, in a sentence
}

// chunk is the number of reviews processed at once.
const chunk = 128

// open opens a run's model and samples the reviews. Close the subject.
func open(ctx context.Context, a *cli.App, run *runs.Run, o options) (_ *Subject, err error) {
	if run.Config.Task() == runs.Pairs {
		return nil, fmt.Errorf("%s translates; the tests are for runs that classify reviews", run.Label())
	}
	s := &Subject{App: a, run: run, o: o, computed: map[*scores.Score][][]float32{}, within: map[*scores.Score]string{}}
	s.retrain = s.retrainable
	if s.folder, err = a.Installed(); err != nil {
		return nil, err
	}
	if s.trained, err = infer.ReadRun(run); err != nil {
		return nil, err
	}
	s.pool, s.closePool = a.Pool(ctx)
	if s.Model, err = s.trained.Model(s.pool); err == nil {
		err = s.sample(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Asker = scores.New(s.Model, o.seed)
	s.peers = peersOf(a.Runs, run)
	return s, nil
}

// Close frees the model.
func (s *Subject) Close() {
	if s.Asker != nil {
		s.Asker.Close()
	}
	if s.Model != nil {
		s.Model.Close()
	}
	s.closePool()
}

// data returns the name of the data whose test set is used.
func (s *Subject) data() string { return cmp.Or(s.o.on, s.run.Config.Data.Name) }

// sample samples the reviews and chooses the scores that the model has.
func (s *Subject) sample(ctx context.Context) error {
	c, on := &s.run.Config, s.o.on
	if s.Model.BatchDependent() {
		return fmt.Errorf("%s: with slip.pad or norm.eval=batch a prediction depends on the other reviews of its batch, so its words have no scores", s.run.Label())
	}
	if s.o.usual && s.Model.Depth() > 0 {
		s.o.reviews = usualOfLayers
	}
	o, stop := progress.Reading(s.IO, s.Warn)
	split, err := s.testSet(ctx, s.Model, s.run, o)
	stop()
	switch {
	case err != nil:
		return err
	case on == "":
		s.Warn(infer.DataChanged(c, split.Digest))
	case !slices.Equal(split.Classes, s.Model.Classes):
		return fmt.Errorf("--on %s: its classes are %s, those of %s %s", on, cli.OneOf(split.Classes), s.run.Label(), cli.OneOf(s.Model.Classes))
	}
	if p, err := folder.Probe(ctx, s.folder, on, folder.Options{}); err == nil && c.Digests["probe"] != p.Digest() {
		s.Warn(fmt.Errorf("%s was trained without data.exclude=%s, so it may have read these texts", s.run.Label(), on))
	}
	s.digest, s.all, s.Reviews = split.Digest, split.Len(), split.Sample(s.o.reviews, s.o.seed)
	for _, score := range scores.All() {
		if slices.Contains(s.o.scores, score.Name) && score.Lacks(s.Model) == "" {
			s.Scores = append(s.Scores, score)
		}
	}
	return nil
}

// testSet returns the test set for the model of a run.
func (s *Subject) testSet(ctx context.Context, m *infer.Model, run *runs.Run, o folder.Options) (*infer.Split, error) {
	limit := run.Config.General().Limit
	if s.o.on != "" {
		limit = 0
	}
	return m.TestSplit(ctx, s.folder, s.data(), limit, o)
}

// facts describes the run and the sampled reviews, without results.
func (s *Subject) facts() *Explained {
	c := &s.run.Config
	e := &Explained{Run: s.run.Label(), ID: c.ID, About: s.Names().About(c), Data: s.data(), Epoch: s.trained.Epoch, Reviews: s.Reviews.Len(), Of: s.all, Seed: s.o.seed}
	for _, score := range scores.All() {
		if why := score.Lacks(s.Model); why != "" && slices.Contains(s.o.scores, score.Name) {
			e.Lacks = append(e.Lacks, score.Title+": "+why)
		}
	}
	for _, score := range s.Scores {
		e.Scores = append(e.Scores, score.Name)
	}
	return e
}

// about returns everything that the result of a test depends on.
func (s *Subject) about(test *Test, e *Explained) about {
	a := about{Run: e.ID, Epoch: e.Epoch, Data: s.digest, Reviews: e.Reviews, Seed: e.Seed, Scores: e.Scores, Test: test.Name, Version: test.Version}
	if test.Peers {
		for _, p := range s.peers {
			a.Peers = append(a.Peers, p.run.Config.ID)
		}
	}
	if test.Slow != "" {
		a.Epochs, a.Seeds, a.Removed = s.roarEpochs(), roarSeeds, s.o.removed
	}
	return a
}

// answer predicts the reviews, once.
func (s *Subject) answer(ctx context.Context) (err error) {
	if s.Texts != nil {
		return nil
	}
	if s.Reviews.Len() == 0 {
		return errors.New("no reviews are sampled: use at least one for each class")
	}
	s.Texts, s.P, err = s.Asker.Answered(ctx, s.Reviews.Texts)
	return err
}

// Compute returns a score of each word of each review. It computes each score once.
func (s *Subject) Compute(ctx context.Context, score *scores.Score) ([][]float32, error) {
	if known, ok := s.computed[score]; ok {
		return known, nil
	}
	s.Asker.Complete = scores.Completeness{}
	out := make([][]float32, 0, len(s.Texts))
	asked, within, size := 0, 0.0, 0.0
	for part := range slices.Chunk(s.Texts, chunk) {
		s.heard(score.Title, len(out))
		s.Asker.Estimate = nil
		list, err := s.Asker.Compute(ctx, score, part)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
		if e := s.Asker.Estimate; e != nil {
			asked += e.Asked
			for i, words := range e.Within {
				within, size = within+total(words), size+total(list[i])
			}
		}
	}
	if c := s.Asker.Complete; c.Texts > 0 {
		s.complete = c
	}
	if asked > 0 {
		s.within[score] = fmt.Sprintf("%s: estimated from %s random texts, %s a review on average; their 95 %% intervals are ± %.0f %% of the scores.",
			score.Title, format.Thousands(asked), format.Thousands(asked/len(s.Texts)), 100*within/size)
	}
	s.computed[score] = out
	return out, nil
}

// each computes every score of the subject and calls f with it.
func (s *Subject) each(ctx context.Context, f func(score *scores.Score, list [][]float32) error) error {
	for _, score := range s.Scores {
		list, err := s.Compute(ctx, score)
		if err == nil {
			err = f(score, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// total returns Σ |x|.
func total(list []float32) (sum float64) {
	for _, x := range list {
		sum += math.Abs(float64(x))
	}
	return sum
}

// eachBatch calls f with the reviews of each batch.
func (s *Subject) eachBatch(ctx context.Context, what string, f func(group []int, texts []infer.Encoded) error) error {
	done := 0
	return s.Asker.EachBatch(ctx, s.Texts, func(group []int, texts []infer.Encoded) error {
		done += len(group)
		s.heard(what, done)
		return f(group, texts)
	})
}

func (s *Subject) heard(what string, done int) {
	if s.Heard != nil {
		s.Heard(what, done, len(s.Texts))
	}
}
