package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/report/stats"
)

var plausibility = Test{
	Name: "plausibility", Title: "Plausibility", Source: "DeYoung et al. 2020 (ERASER), section 4.1",
	Says: "Compares the words that a score puts first with those that somebody has marked as the reasons for the label: the area under precision over recall as words are taken by falling score (AUPRC), and F1 and intersection over union of as many first words as are marked on average. " +
		"Of the sample the grammar knows the words; own data may have a column rationale. Signed scores put first what speaks for the predicted class. Beside them stand weights that are all equal, by which any order of the words is as good as any other: the means over all.",
	Cannot:  "A score that agrees with people need not be true of the model, which may answer for other reasons, and one that disagrees may be. It says which score shows people what they would have marked.",
	Version: 3,
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
		list, err := s.Of(ctx, score)
		if err != nil {
			return nil, err
		}
		r.plausible(score.Title, marked, func(i int, m []bool) (area, f1, iou, first float64) {
			order, chosen := falling(list[i]), make([]bool, len(m))
			for _, k := range order[:firstWords(share, m)] {
				chosen[k] = true
			}
			f1, iou = stats.Overlap(chosen, m)
			return stats.AUPRC(m, wide(list[i])), f1, iou, truth(m[order[0]])
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
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the reviews have marked words, %.1f %% of their words on average; by all words at once token F1 is %.3f", reviews, 100*share, average(all)))
	return r, nil
}

// equalWeights is the row of weights that know nothing.
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
	if of == equalWeights { // a chance each, not 0 or 1
		r.meanOf("first word marked", of, "", first)
		return
	}
	r.shareOf("first word marked", of, "", first)
}

// firstWords is how many words of a review are taken.
func firstWords(share float64, marked []bool) int {
	return int(math.Ceil(share * float64(len(marked))))
}

const noMarks = "nobody has marked the reasons for the labels of these reviews: the sample has them, and own data with a column rationale"

func marks(list []bool) (n float64) {
	for _, m := range list {
		if m {
			n++
		}
	}
	return n
}

func nans(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
