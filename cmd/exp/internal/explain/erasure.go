package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
)

var erasure = Test{
	Name: "erasure", Title: "Erasure", Source: "DeYoung et al. 2020 (ERASER), section 4.2; Serrano and Smith 2019, section 4; Samek et al. 2017",
	Method: "Removes the words with the largest scores from each review and asks the model again; then asks about these words alone. If an answer rests on them, its probability falls without them (comprehensiveness is high), stays with them alone (sufficiency is low), and few words have to go before the decision flips. ERASER's areas are means over 1, 5, 10, 20 and 50 % of the words. " +
		"Signed scores put words first that speak for the predicted class.",
	Limits:  "Texts with holes are unlike the texts of training, so the holes cause part of the fall. Random words and the other scores have the same holes; compare the distance to them.",
	Version: 2,
	ranges:  map[string]stats.Interval{eraserComprehensiveness: correlation, eraserSufficiency: correlation, "comprehensiveness": correlation, "sufficiency": correlation},
	run:     runErasure,
	draw:    drawErasure,
}

// eraseShares are the shares of a review's words that are removed.
var eraseShares = [...]float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50}

// eraserShares are the shares over which ERASER averages its areas.
var eraserShares = []float64{0.01, 0.05, 0.10, 0.20, 0.50}

// Names of the areas.
const (
	eraserComprehensiveness = "ERASER comprehensiveness"
	eraserSufficiency       = "ERASER sufficiency"
)

// erasedAnswer is the prediction without some words, or from these words alone.
type erasedAnswer struct {
	class int
	p     float64 // of the class predicted from the whole review
}

// erasureOf holds the changes of the predictions by one score, for each share of words and each review.
type erasureOf struct {
	fall      [len(eraseShares)][]float64 // fall of the probability without the words: comprehensiveness
	fallAlone [len(eraseShares)][]float64 // fall of the probability with these words alone: sufficiency
	flipped   [len(eraseShares)][]float64 // 1 if the class changes without these words, or without fewer

	// Means over eraserShares (area over the perturbation curve, as in the authors' code; the
	// formula of the paper also counts the share 0 and divides by 6), and the share of words
	// removed when the class first changes, 1 if it never does.
	area, areaAlone, gone []float64
}

// add records a review whose whole text has the given class and probability. answers
// holds two for each share: without the words, and from these words alone.
func (e *erasureOf) add(class int, p float64, answers []erasedAnswer) {
	first, sum, sumAlone := 1.0, 0.0, 0.0
	for k, share := range eraseShares {
		without, alone := answers[2*k], answers[2*k+1]
		if without.class != class {
			first = min(first, share)
		}
		e.fall[k], e.fallAlone[k] = append(e.fall[k], p-without.p), append(e.fallAlone[k], p-alone.p)
		e.flipped[k] = append(e.flipped[k], truth(first < 1))
		if slices.Contains(eraserShares, share) {
			sum += p - without.p
			sumAlone += p - alone.p
		}
	}
	n := float64(len(eraserShares))
	e.area, e.areaAlone, e.gone = append(e.area, sum/n), append(e.areaAlone, sumAlone/n), append(e.gone, first)
}

// erase predicts each review without the words with the largest scores, and from these
// words alone. It does so for each of eraseShares, rounded up.
func (s *Subject) erase(ctx context.Context, score *scores.Score) (*erasureOf, error) {
	list, err := s.Compute(ctx, score)
	if err != nil {
		return nil, err
	}
	e, each := &erasureOf{}, 2*len(eraseShares)
	for lo := 0; lo < len(s.Texts); lo += chunk {
		var asked []infer.Encoded // [review][share][without, alone]
		part := s.Texts[lo:min(lo+chunk, len(s.Texts))]
		for i, t := range part {
			order := infer.Argsort(list[lo+i])
			for _, share := range eraseShares {
				without, alone := divide(t.Encoded, order[:int(math.Ceil(share*float64(len(order))))])
				asked = append(asked, without, alone)
			}
		}
		answers := make([]erasedAnswer, len(asked))
		err := s.Model.Each(ctx, asked, func(j int, b *infer.Batch, k int) error {
			answers[j] = erasedAnswer{b.Class(k), float64(b.P(k)[part[j/each].Class])}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, t := range part {
			e.add(t.Class, s.P[lo+i], answers[i*each:][:each])
		}
		s.heard("erasing by "+score.Title, lo+len(part))
	}
	return e, nil
}

// divide splits a text into the words without those at the given places, and these words
// alone, both in the order of the text. A text without words becomes one unknown word.
func divide(t infer.Encoded, places []int) (without, alone infer.Encoded) {
	chosen := make([]bool, len(t.Rows))
	for _, k := range places {
		chosen[k] = true
	}
	for k, row := range t.Rows {
		if chosen[k] {
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
	r, all := &Result{}, make([]*erasureOf, len(s.Scores))
	for k, score := range s.Scores {
		e, err := s.erase(ctx, score)
		if err != nil {
			return nil, err
		}
		all[k] = e
		r.meanOf(eraserComprehensiveness, score.Title, "", e.area)
		r.meanOf(eraserSufficiency, score.Title, "", e.areaAlone)
		r.meanOf("words gone at the flip", score.Title, "", e.gone)
	}
	for k, e := range all {
		title := s.Scores[k].Title
		for k, share := range eraseShares {
			part := fmt.Sprintf("%g %%", 100*share)
			r.meanOf("comprehensiveness", title, part, e.fall[k])
			r.meanOf("sufficiency", title, part, e.fallAlone[k])
			r.shareOf("decisions flipped", title, part, e.flipped[k])
		}
	}
	return r, nil
}

// erasureCurves are the scores that a figure has room for; random is last.
var erasureCurves = []string{scores.Attention, scores.Gradient, scores.Integrated, scores.LeaveOut, scores.Rollout, scores.Random}

func drawErasure(r *Result) canvas.Figure {
	var titles []string
	for _, s := range scores.All() {
		if slices.Contains(erasureCurves, s.Name) && slices.Contains(r.scores(), s.Title) {
			titles = append(titles, s.Title)
		}
	}
	if titles == nil {
		return canvas.Figure{}
	}
	var at []float64
	for _, share := range eraseShares {
		at = append(at, 100*share)
	}
	var panels []chart.LinePanel
	for _, p := range [][2]string{{"without the words", "comprehensiveness"}, {"these words alone", "sufficiency"}, {"without the words", "decisions flipped"}} {
		panel := chart.LinePanel{Title: p[0], X: "words (% of the review)", Y: p[1], Log: true, Margin: 0.03, Ticks: chart.ValueTicks(at, true, 3), Scale: chart.Scale{Least: 0.1}}
		for i, of := range titles {
			line := chart.Numbered(of, i, nil)
			if line.Bars = true; of == titleOf(scores.Random) {
				line.Line = chart.Line(1.2, canvas.Faint, 2, 1.6)
			}
			for _, v := range r.Values {
				if v.Of == of && v.Statistic == p[1] && v.Part != "" {
					line.Points = append(line.Points, chart.Point{X: at[len(line.Points)], Y: float64(v.Value), Low: float64(v.Low), High: float64(v.High)})
				}
			}
			line.Points = chart.Drawable(line.Points)
			panel.Curves = append(panel.Curves, line)
		}
		panels = append(panels, panel)
	}
	f := chart.Figure(cmp.Or(strings.TrimSuffix(r.erased(), "."), "What answers lose with their words"), panels...)
	f.Caption = " · bars: 95 % intervals"
	return f
}

var plausibility = Test{
	Name: "plausibility", Title: "Plausibility", Source: "DeYoung et al. 2020 (ERASER), section 4.1",
	Method: "Compares the words with the largest scores with the words that annotators have marked as the reasons for the label: the area under precision over recall as words are added by falling score (AUPRC), and F1 and intersection over union of as many first words as are marked on average. " +
		"For the sample the grammar knows these words; of minimal pairs (--on) they are the words that differ; own data may have a column rationale. Signed scores put words first that speak for the predicted class. In the row equal weights the AUPRC is the share of marked words, and the other numbers are means over all orders.",
	Limits:  "A score that agrees with annotators can be wrong about the model, which may have other reasons for its prediction, and a score that disagrees can be right. The test shows which score finds the words that annotators would mark.",
	Version: 4,
	run:     runPlausibility,
}

func runPlausibility(ctx context.Context, s *Subject) (*Result, error) {
	marked, err := s.Model.Marked(ctx, s.folder, s.data(), s.Reviews, folder.Options{})
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
	err = s.each(ctx, func(score *scores.Score, list [][]float32) error {
		r.plausible(score.Title, marked, func(i int, m []bool) [4]float64 {
			order, chosen := infer.Argsort(list[i]), make([]bool, len(m))
			for _, k := range order[:firstWords(share, m)] {
				chosen[k] = true
			}
			f1, iou := stats.Overlap(chosen, m)
			return [4]float64{stats.AUPRC(m, float64s(list[i])), f1, iou, truth(m[order[0]])}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.plausible(equalWeights, marked, func(_ int, m []bool) [4]float64 {
		f1, iou := stats.MeanOverlap(len(m), firstWords(share, m), int(marks(m)))
		first := marks(m) / float64(len(m))
		return [4]float64{first, f1, iou, first}
	})
	all := 0.0 // words chosen
	for _, m := range marked {
		if slices.Contains(m, true) {
			f1, _ := stats.MeanOverlap(len(m), len(m), int(marks(m)))
			all += f1
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the reviews have marked words, %.1f %% of their words on average; choosing all words gives a token F1 of %.3f", reviews, 100*share, all/float64(reviews)))
	return r, nil
}

// auprc is the area under the curve of precision over recall.
const auprc = "AUPRC"

// equalWeights is the row of weights that carry no information.
const equalWeights = "equal weights"

// plausible adds the means of four numbers of each review that has marked words.
func (r *Result) plausible(of string, marked [][]bool, f func(i int, m []bool) [4]float64) {
	var lists [4][]float64
	for i, m := range marked {
		if slices.Contains(m, true) {
			for k, x := range f(i, m) {
				lists[k] = append(lists[k], x)
			}
		}
	}
	r.meanOf(auprc, of, "", lists[0])
	r.meanOf("token F1", of, "", lists[1])
	r.meanOf("intersection over union", of, "", lists[2])
	add := r.shareOf
	if of == equalWeights { // probabilities, not 0 or 1
		add = r.meanOf
	}
	add("first word marked", of, "", lists[3])
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
