package battery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/embedding"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var erasure = Test{
	Name: "erasure", Title: "Erasure", Source: "DeYoung et al. 2020 (ERASER), section 4.2; Serrano and Smith 2019, section 4; Samek et al. 2017",
	Says: "Takes from each review the words that a score puts first, and asks again; then asks about these words alone. If an answer rests on them, its probability falls without them (comprehensiveness is high), stays with them alone (sufficiency is low), and few words have to go before the decision flips. " +
		"Signed scores put first what speaks for the predicted class.",
	Cannot:  "Texts with holes are not like those of training: part of what falls may be the holes' doing. Chance and the other scores suffer the same; look at the distance from them.",
	Version: 1,
	ranges:  map[string]stats.Interval{"AOPC comprehensiveness": correlation, "AOPC sufficiency": correlation, "comprehensiveness": correlation, "sufficiency": correlation},
	run:     runErasure,
	draw:    drawErasure,
}

// EraseShares are the shares of a review's words that Erase removes.
var EraseShares = []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50}

// Erasure says what becomes of a model's answers when words are taken from reviews:
// if a ranking finds the words that an answer rests on, the answer falls when they go
// and stays when only they are left.
type Erasure struct {
	Reviews  int
	Accuracy float64 // share of whole reviews that the model gets right
	P        float64 // mean probability of the class predicted from whole reviews, c
	Curves   []ErasureCurve
}

// ErasureCurve is one ranking; its numbers follow EraseShares.
type ErasureCurve struct {
	Ranking           string
	Accuracy          []float64 // share right without the first words of the ranking
	P                 []float64 // mean probability of c without them
	KeptAccuracy      []float64 // share right with only the first words of the ranking
	Flipped           []float64 // share of reviews with another class without them, or without fewer
	Comprehensiveness []Mean    // p_c of the whole review − p_c without the first words
	Sufficiency       []Mean    // p_c of the whole review − p_c of the first words alone
	AreaWithout       Mean      // area over the perturbation curve: the mean over the shares, of the comprehensiveness
	AreaAlone         Mean      // and of the sufficiency
	First             Mean      // share of words that was to go when the class first changes, 1 where it does not; of a short review one word is more
}

// Mean is a mean over reviews with half the width of its 95 % interval, 1.96
// standard errors.
type Mean struct{ Mean, Half float64 }

// Erase removes from each review, for each of EraseShares, as many of its words as the
// share says, rounded up, those first that a score puts first, and asks the model
// again; and it asks about these words alone. Where no word is left, the text counts as
// one word without a vector.
//
// Jain and Wallace 2019 and Serrano and Smith 2019 doubt by such experiments that
// attention explains answers; comprehensiveness, sufficiency and their areas are those
// of DeYoung et al. 2020 (ERASER).
func Erase(ctx context.Context, s *Subject, rankings []*scores.Score) (*Erasure, error) {
	sums := newEraseSums(rankings)
	all := make([][][]float32, len(rankings))
	for k, r := range rankings {
		var err error
		if all[k], err = s.Of(ctx, r); err != nil {
			return nil, err
		}
	}
	for lo := 0; lo < len(s.Texts); lo += chunk {
		hi := min(lo+chunk, len(s.Texts))
		order := make([][][]int, len(rankings)) // [ranking][review]
		for k := range rankings {
			for _, list := range all[k][lo:hi] {
				order[k] = append(order[k], falling(list))
			}
		}
		if err := erase(ctx, s, lo, hi, order, sums); err != nil {
			return nil, err
		}
		s.heard("erasing", hi)
	}
	return sums.erasure(), nil
}

// erase asks the model about reviews without some of their words, and about these
// alone, and adds up its answers.
func erase(ctx context.Context, s *Subject, lo, hi int, orders [][][]int, sums *eraseSums) error {
	texts, n := s.Texts[lo:hi], hi-lo
	var list []infer.Encoded // [ranking][share][without, alone][review]
	for _, order := range orders {
		for _, share := range EraseShares {
			without, alone := make([]infer.Encoded, n), make([]infer.Encoded, n)
			for i, t := range texts {
				count := min(int(math.Ceil(share*float64(len(t.Rows)))), len(t.Rows))
				without[i], alone[i] = divide(t.Encoded, order[i][:count])
			}
			list = append(append(list, without...), alone...)
		}
	}
	class, p := make([]int, len(list)), make([]float64, len(list))
	err := s.Model.Each(ctx, list, func(j int, b *infer.Batch, k int) error {
		class[j], p[j] = b.Class(k), float64(b.P(k)[texts[j%n].Class])
		return nil
	})
	if err != nil {
		return err
	}
	at := func(ranking, share, half, i int) int { return ((ranking*len(EraseShares)+share)*2+half)*n + i }
	for i, t := range texts {
		label := int(s.Reviews.Labels[lo+i])
		sums.review(t.Class == label, s.P[lo+i])
		for r := range orders {
			for k := range EraseShares {
				without, alone := at(r, k, 0, i), at(r, k, 1, i)
				sums.add(r, k, label, t.Class, s.P[lo+i], class[without], class[alone], p[without], p[alone])
			}
			sums.end(r)
		}
	}
	return nil
}

// divide parts a text into the words that are left without those at the given
// places, and these alone, both in the order of the text.
func divide(t infer.Encoded, places []int) (without, alone infer.Encoded) {
	taken := make([]bool, len(t.Rows))
	for _, k := range places {
		taken[k] = true
	}
	for k, row := range t.Rows {
		if taken[k] {
			alone.Rows = append(alone.Rows, row)
		} else {
			without.Rows = append(without.Rows, row)
		}
	}
	if len(without.Rows) == 0 {
		without.Rows = []int32{embedding.OOVRow}
	}
	return without, alone
}

func runErasure(ctx context.Context, s *Subject) (*Result, error) {
	e, err := Erase(ctx, s, s.Scores)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, c := range e.Curves {
		r.mean("AOPC comprehensiveness", c.Ranking, "", c.AreaWithout, e.Reviews)
		r.mean("AOPC sufficiency", c.Ranking, "", c.AreaAlone, e.Reviews)
		r.mean("words gone at the flip", c.Ranking, "", c.First, e.Reviews)
	}
	for _, c := range e.Curves {
		for k, share := range EraseShares {
			part := fmt.Sprintf("%g %%", 100*share)
			r.mean("comprehensiveness", c.Ranking, part, c.Comprehensiveness[k], e.Reviews)
			r.mean("sufficiency", c.Ranking, part, c.Sufficiency[k], e.Reviews)
			r.share("decisions flipped", c.Ranking, part, int(math.Round(c.Flipped[k]*float64(e.Reviews))), e.Reviews)
		}
	}
	return r, nil
}

// bars is for captions.
const bars = " · bars: 95 % intervals"

// erasureCurves are the scores that a figure has room for; chance is last.
var erasureCurves = []string{scores.Attention, scores.Gradient, "integrated", "leaveout", "rollout", scores.Random}

// drawn returns the titles of those that the result has.
func (r *Result) drawn() (out []string) {
	for _, s := range scores.All() {
		if slices.Contains(erasureCurves, s.Name) && slices.Contains(r.scores(), s.Title) {
			out = append(out, s.Title)
		}
	}
	return out
}

func drawErasure(r *Result, head Head) ([]canvas.Figure, error) {
	if len(r.drawn()) == 0 {
		return nil, nil
	}
	var percent []float64
	for _, s := range EraseShares {
		percent = append(percent, 100*s)
	}
	panels := []chart.RemovalPanel{
		{Title: "without the words", Axis: "comprehensiveness", Least: 0.1, Whole: math.NaN()},
		{Title: "these words alone", Axis: "sufficiency", Least: 0.1, Whole: math.NaN()},
		{Title: "without the words", Axis: "decisions flipped", Least: 0.1, Whole: math.NaN()},
	}
	for i, statistic := range []string{"comprehensiveness", "sufficiency", "decisions flipped"} {
		for _, of := range r.drawn() {
			l := chart.RemovalLine{Name: of, Chance: scores.IsChance(of)}
			for _, v := range r.Values {
				if v.Statistic == statistic && v.Of == of && v.Part != "" {
					l.Y, l.Ends = append(l.Y, float64(v.Value)), append(l.Ends, [2]float64{float64(v.Low), float64(v.High)})
				}
			}
			panels[i].Lines = append(panels[i].Lines, l)
		}
	}
	return []canvas.Figure{chart.Removals(head.Name+"-erasure", "What answers lose with their words", head.About+bars, percent, panels...)}, nil
}
