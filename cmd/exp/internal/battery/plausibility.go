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
		"Of the sample the grammar knows the words; own data may have a column rationale. Signed scores put first what speaks for the predicted class.",
	Cannot:  "A score that agrees with people need not be true of the model, which may answer for other reasons, and one that disagrees may be. It says which score shows people what they would have marked.",
	Version: 1,
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
		n := len(marked)
		area, f1, iou, hit := nans(n), nans(n), nans(n), nans(n)
		for i, m := range marked {
			if !slices.Contains(m, true) {
				continue
			}
			order, chosen := falling(list[i]), make([]bool, len(m))
			for _, k := range order[:int(math.Ceil(share*float64(len(m))))] {
				chosen[k] = true
			}
			area[i] = stats.AUPRC(m, wide(list[i]))
			f1[i], iou[i] = stats.Overlap(chosen, m)
			hit[i] = 0
			if m[order[0]] {
				hit[i] = 1
			}
		}
		r.meanOf("AUPRC", score.Title, "", area)
		r.meanOf("token F1", score.Title, "", f1)
		r.meanOf("intersection over union", score.Title, "", iou)
		r.meanOf("first word marked", score.Title, "", hit)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the reviews have marked words, %.1f %% of their words on average: what AUPRC is where scores know nothing", reviews, 100*share))
	return r, nil
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
