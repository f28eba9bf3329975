package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/report/stats"
)

var plausibility = Test{
	Name: "plausibility", Title: "Plausibility", Source: "DeYoung et al. 2020 (ERASER), section 4.1",
	Method: "Compares the words with the largest scores with the words that annotators have marked as the reasons for the label: the area under precision over recall as words are added by falling score (AUPRC), and F1 and intersection over union of as many first words as are marked on average. " +
		"For the sample the grammar knows these words; of minimal pairs (--on) they are the words that differ; own data may have a column rationale. Signed scores put words first that speak for the predicted class. The row equal weights is the mean over all orders of the words.",
	Limits:  "A score that agrees with annotators can be wrong about the model, which may have other reasons for its prediction, and a score that disagrees can be right. The test shows which score finds the words that annotators would mark.",
	Version: 4,
	run:     runPlausibility,
}

func runPlausibility(ctx context.Context, s *Subject) (*Result, error) {
	if s.Marks == nil {
		return &Result{Lacks: noMarks}, nil
	}
	marked, err := s.Marks(ctx)
	if err != nil {
		return nil, err
	}
	share, reviews := 0.0, 0
	for _, m := range marked {
		if slices.Contains(m, true) {
			share, reviews = share+marks(m)/float64(len(m)), reviews+1
		}
	}
	if reviews == 0 {
		return &Result{Lacks: noMarks}, nil
	}
	share /= float64(reviews)
	r := &Result{}
	for _, score := range s.Scores {
		list, err := s.Compute(ctx, score)
		if err != nil {
			return nil, err
		}
		r.plausible(score.Title, marked, func(i int, m []bool) (area, f1, iou, first float64) {
			order, chosen := infer.Falling(list[i]), make([]bool, len(m))
			for _, k := range order[:firstWords(share, m)] {
				chosen[k] = true
			}
			f1, iou = stats.Overlap(chosen, m)
			return stats.AUPRC(m, float64s(list[i])), f1, iou, truth(m[order[0]])
		})
	}
	r.plausible(equalWeights, marked, func(_ int, m []bool) (area, f1, iou, first float64) {
		f1, iou = stats.MeanOverlap(len(m), firstWords(share, m), int(marks(m)))
		first = marks(m) / float64(len(m))
		return first, f1, iou, first
	})
	all := nans(len(marked))
	for i, m := range marked {
		if slices.Contains(m, true) {
			all[i], _ = stats.MeanOverlap(len(m), len(m), int(marks(m)))
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the reviews have marked words, %.1f %% of their words on average; choosing all words gives a token F1 of %.3f", reviews, 100*share, average(all)))
	return r, nil
}

// equalWeights is the row of weights that carry no information.
const equalWeights = "equal weights"

// plausible adds the means of four numbers of each review that has marked words.
func (r *Result) plausible(of string, marked [][]bool, f func(i int, m []bool) (area, f1, iou, first float64)) {
	n := len(marked)
	area, f1, iou, first := nans(n), nans(n), nans(n), nans(n)
	for i, m := range marked {
		if slices.Contains(m, true) {
			area[i], f1[i], iou[i], first[i] = f(i, m)
		}
	}
	r.meanOf("AUPRC", of, "", area)
	r.meanOf("token F1", of, "", f1)
	r.meanOf("intersection over union", of, "", iou)
	add := r.shareOf
	if of == equalWeights { // probabilities, not 0 or 1
		add = r.meanOf
	}
	add("first word marked", of, "", first)
}

// firstWords returns how many words of a review are chosen.
func firstWords(share float64, marked []bool) int {
	return int(math.Ceil(share * float64(len(marked))))
}

const noMarks = "the reasons for the labels of these reviews are not marked: the sample and minimal pairs (--on) have marks, and own data with a column rationale"

func marks(list []bool) (n float64) {
	for _, m := range list {
		if m {
			n++
		}
	}
	return n
}
