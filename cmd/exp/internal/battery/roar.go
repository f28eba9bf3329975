package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

var roar = Test{
	Name: "roar", Title: "Erased and trained anew", Source: "Hooker et al. 2019 (ROAR)",
	Slow: "it trains the model anew for each score and share of words",
	Says: "Takes from every review, of train as of test, the words that a score puts first by its size, and trains the model anew on what is left. If these words carried what the labels can be told by, the new model is less accurate than one that lost as many at random. " +
		"Other than in erasure, holes are what the model has learned from: what falls is not their doing.",
	Cannot:  "What the new model finds in the words left the old one need not have used: where words say the same twice, nothing falls though the score was right. What is left may tell what was taken, which makes a score look worse. It is about words that matter on the whole, not about one answer.",
	Version: 1,
	run:     runROAR,
	draw:    drawROAR,
}

// RoarScores are the scores that roar is about when nobody says.
var RoarScores = []string{scores.Attention, scores.Gradient, scores.Random}

// roarShares are the shares of a review's words that are taken.
var roarShares = []float64{0.1, 0.3, 0.5}

// Retraining trains a subject's run anew on other words. One goroutine may use it.
type Retraining struct {
	Parts  []*dataset.Encoded // train, test and, where the run chooses by it, validation; rows of the model's table
	Epochs int                // of each training
	Scores []string           // whose first words are taken
	// Train puts parts into the place of the run's own and counts of the answers to its test
	// how many are right. what tells the parts from others that are made of the run's.
	Train func(ctx context.Context, what string, parts []*dataset.Encoded, heard func(epoch int)) (right, reviews int, err error)
	Close func() error
}

func runROAR(ctx context.Context, s *Subject) (r *Result, err error) {
	if s.Retrain == nil {
		return &Result{Lacks: "nothing is known of its training"}, nil
	}
	t, lacks, err := s.Retrain(ctx)
	if lacks != "" || err != nil {
		return &Result{Lacks: lacks}, err
	}
	defer func() {
		if bad := t.Close(); err == nil {
			err = bad
		}
	}()
	var wanted []*scores.Score
	for _, score := range s.Scores {
		if slices.Contains(t.Scores, score.Name) {
			wanted = append(wanted, score)
		}
	}
	trainings, done := 1+len(wanted)*len(roarShares), 0
	train := func(what, called string, parts []*dataset.Encoded) (right, reviews int, err error) {
		right, reviews, err = t.Train(ctx, what, parts, func(epoch int) {
			s.heard("trains anew "+called, (done*t.Epochs+epoch)*len(s.Texts)/(trainings*t.Epochs))
		})
		done++
		return right, reviews, err
	}
	r = &Result{}
	whole, n, err := train("whole", "with all words", t.Parts)
	if err != nil {
		return nil, err
	}
	for _, score := range wanted {
		without, err := s.erased(ctx, score, t.Parts)
		if err != nil {
			return nil, err
		}
		r.share("accuracy with all words", score.Title, "", whole, n)
		for k, share := range roarShares {
			name := fmt.Sprintf("without %g %%", 100*share)
			right, n, err := train(fmt.Sprintf("%s/%d/%g", score.Name, s.Seed, share), name+", "+score.Title, without[k])
			if err != nil {
				return nil, err
			}
			r.share(name, score.Title, "", right, n)
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("each number is that of one training of %s by the run's settings and seed, on all of its reviews", format.Counted(t.Epochs, "epoch")))
	return r, nil
}

// erased returns the parts without the words that a score puts first by its size, for
// each of roarShares. A score with signs is about the class predicted: were only those
// words taken that speak for it, what is left would tell which they were.
func (s *Subject) erased(ctx context.Context, score *scores.Score, parts []*dataset.Encoded) ([][]*dataset.Encoded, error) {
	out := make([][]*dataset.Encoded, len(roarShares))
	for p, part := range parts {
		without := make([]*dataset.Encoded, len(roarShares))
		for k := range without {
			without[k] = &dataset.Encoded{Offsets: []int{0}, Labels: part.Labels, Names: part.Names}
			out[k] = append(out[k], without[k])
		}
		for lo := 0; lo < part.Len(); lo += chunk {
			s.heard(fmt.Sprintf("%s of reviews to train on, part %d", score.Title, p+1), lo*len(s.Texts)/part.Len())
			var list []infer.Encoded
			for b := lo; b < min(lo+chunk, part.Len()); b++ {
				list = append(list, infer.Encoded{Rows: part.Words(b)})
			}
			texts, err := s.Asker.Answered(ctx, list)
			if err != nil {
				return nil, infer.Named(err, part.Names[lo:])
			}
			for i := range texts {
				texts[i].Number = p<<32 + lo + i
			}
			found, err := s.Asker.Of(ctx, score, texts)
			if err != nil {
				return nil, infer.Named(err, part.Names[lo:])
			}
			for i, t := range texts {
				order := falling(scores.Size(found[i]))
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

func drawROAR(r *Result, head Head) ([]canvas.Figure, error) {
	if r.Values == nil {
		return nil, nil
	}
	var percent []float64
	for _, s := range roarShares {
		percent = append(percent, 100*s)
	}
	panel := chart.RemovalPanel{Title: "trained on all reviews without the words", Axis: "accuracy", Least: 0.1, Whole: math.NaN()}
	for _, of := range r.scores() {
		l := chart.RemovalLine{Name: of, Chance: scores.IsChance(of)}
		for _, v := range r.Values {
			switch {
			case v.Of != of:
			case v.Statistic == "accuracy with all words":
				panel.Whole = float64(v.Value)
			default:
				l.Y, l.Ends = append(l.Y, float64(v.Value)), append(l.Ends, [2]float64{float64(v.Low), float64(v.High)})
			}
		}
		panel.Lines = append(panel.Lines, l)
	}
	return []canvas.Figure{chart.Removals(head.Name+"-roar", "What can be learned without the words that a score puts first", head.About+bars, percent, panel)}, nil
}
