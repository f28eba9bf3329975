package battery

import (
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/scores"
)

// Conclusion sums up the results in plain sentences, at most one for each of the tests
// agreement, permutation, adversary and erasure.
func Conclusion(results []*Result) (out []string) {
	for _, r := range results {
		sentence := map[string]func() string{agreement.Name: r.agreementSentence, permutation.Name: r.permutationSentence,
			adversarial.Name: r.adversarySentence, erasure.Name: r.erasureSentence}[r.Test]
		if sentence == nil || r.Lacks != "" {
			continue
		}
		if s := sentence(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// overall returns a number over all reviews; NaN if the result lacks it.
func (r *Result) overall(statistic, of string) float64 {
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Of == of && v.Part == "" {
			return float64(v.Value)
		}
	}
	return math.NaN()
}

// outOf100 is a share as a number of reviews of 100.
func outOf100(share float64) string { return fmt.Sprintf("%.0f of 100 reviews", 100*share) }

func (r *Result) agreementSentence() string {
	tau, how := r.overall("τ", titleOf(scores.Gradient)), "hardly agree"
	switch {
	case tau != tau:
		return ""
	case tau >= 0.5:
		how = "largely agree"
	case tau >= 0.2:
		how = "partly agree"
	}
	return fmt.Sprintf("Attention and gradients %s about which words count: Kendall's τ is %s, where 1 is the same order and 0 is chance.", how, fixed(tau))
}

func (r *Result) permutationSentence() string {
	share, so := r.overall("reviews that move by 0.1", ""), "most predictions do not depend on which words have the weights"
	switch {
	case share != share:
		return ""
	case share >= 0.5:
		so = "most predictions depend on which words have the weights"
	}
	return fmt.Sprintf("Shuffling the weights changes the probability by 0.1 or more in %s: %s.", outOf100(share), so)
}

func (r *Result) adversarySentence() string {
	share, so := r.overall(fmt.Sprintf("reviews at %g or more", farAway), fmt.Sprintf("ε = %g", usualEpsilon)), "for most reviews the weights are not free to differ"
	switch {
	case share != share:
		return ""
	case share >= 0.5:
		so = "the weights shown are rarely the only possible explanation"
	}
	return fmt.Sprintf("Very different weights give nearly the same answer (within %g) in %s: %s.", usualEpsilon, outOf100(share), so)
}

func (r *Result) erasureSentence() string {
	attention, chance := r.overall(eraserComprehensiveness, titleOf(scores.Attention)), r.overall(eraserComprehensiveness, titleOf(scores.Random))
	best, title := math.Inf(-1), ""
	for _, of := range r.scores() {
		if x := r.overall(eraserComprehensiveness, of); x > best {
			best, title = x, of
		}
	}
	switch {
	case attention != attention || chance != chance:
		return ""
	case title == titleOf(scores.Attention):
		return fmt.Sprintf("Removing the most attended words lowers the probability by %s on average, random words by %s; no other score finds words that matter more.", fixed(attention), fixed(chance))
	}
	return fmt.Sprintf("Removing the most attended words lowers the probability by %s on average, random words by %s, and the words that %s finds by %s.", fixed(attention), fixed(chance), title, fixed(best))
}

// titleOf returns the title of a score.
func titleOf(name string) string { return scores.Named(name).Title }
