package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
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
