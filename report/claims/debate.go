package claims

// This file holds claims of the debate on whether attention explains, which accuracies and
// the results of exp explain can decide. Jain and Wallace's numbers for IMDB are from their
// repository (successar/AttentionExplanation, commit d74cab1, graph_outputs). Wiegreffe and
// Pinter's numbers could not be checked against their paper and are marked as not verified.

// Results of exp explain, by the names of its tests and scores.
var (
	gradientTau, leaveOutTau = number{"agreement", "τ", gradient, ""}, number{"agreement", "τ", leaveOut, ""}
	negativeTau, positiveTau = number{"agreement", "τ by part", gradient, "predicted neg"}, number{"agreement", "τ by part", gradient, "predicted pos"}
	significant              = number{"agreement", "significant", gradient, ""}
	aboveGradient            = number{"agreement", "τ above attention's", gradient + " with " + leaveOut, "with " + gradient}
	aboveLeaveOut            = number{"agreement", "τ above attention's", gradient + " with " + leaveOut, "with " + leaveOut}
	farReviews               = number{"adversary", "reviews at 0.6 or more", "ε = 0.01", ""}
	nearWeights, farWeights  = number{"retrained", "divergence of weights", "adversary, λ = 0", ""}, number{"retrained", "divergence of weights", "adversary, λ = 0.001", ""}
	nearAnswers, farAnswers  = number{"retrained", "difference of answers", "adversary, λ = 0", ""}, number{"retrained", "difference of answers", "adversary, λ = 0.001", ""}
	seedWeights, seedAnswers = number{"retrained", "divergence of weights", "another seed", ""}, number{"retrained", "difference of answers", "another seed", ""}
	askedOf                  = []number{gradientTau, leaveOutTau, negativeTau, positiveTau, significant, aboveGradient, aboveLeaveOut, farReviews, nearWeights, farWeights, nearAnswers, farAnswers, seedWeights, seedAnswers}
)

const gradient, leaveOut = "gradient × input", "leave one out"

// theirs describes how the models of the papers differ from ours.
const theirs = "There: an LSTM of 128 in each direction on trained vectors of 300, reviews of less than 400 words, a fifth of the test reviews; here: 50 in one direction, GloVe as it is"

// ofDebate holds the claims of the two papers.
var ofDebate = []Claim{
	{Section: "Jain and Wallace 2019, abstract", Quote: "Learned attention weights are frequently uncorrelated with gradient-based measures of feature importance.",
		Rule: "the share of reviews in which τ of attention and gradient × input differs from 0 (p < 0.05) is below a half: additive. Their share on IMDB is 1.00 of the reviews predicted negative, 0.99 of those predicted positive. " + theirs,
		only: "default", check: both(explained(additiveAdam, []number{significant}, func(n []told) finding {
			return finding{above(n[0].interval.Negative(), -frequently), "share of reviews " + n[0].String()}
		}))},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Over the states of an LSTM the order of attention is only weakly that of other scores (IMDB: τ with gradients 0.38 of reviews called negative and 0.37 of those called positive, with leaving out 0.32 and 0.29).",
		Rule: "mean τ of attention with gradient × input and with leaving out below 0.5, where three of four pairs of words are in the same order: additive. " + theirs,
		only: "default", check: both(explained(additiveAdam, []number{gradientTau, leaveOutTau, negativeTau, positiveTau}, func(n []told) finding {
			return both2(above(n[0].interval.Negative(), -weakTau), above(n[1].interval.Negative(), -weakTau),
				"τ with gradient × input "+n[0].String()+", called negative "+n[2].short()+", called positive "+n[3].short()+"; with leaving out "+n[1].String())
		}))},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Where words are averaged and no recurrence has read them, attention agrees far better with gradients (IMDB: τ 0.67 and 0.66).",
		Rule: "mean τ of attention with gradient × input in tme9-simple above that in additive, by more than noise. There an average of words that a layer has projected",
		only: "default", check: both(explainedBoth(simpleAdam, additiveAdam, gradientTau))},
	{Section: "Jain and Wallace 2019, 4.1", Quote: "Gradients and leaving out agree more with each other than attention does with either (IMDB: τ by 0.18 more than attention with gradients, by 0.08 more than attention with leaving out).",
		Rule: "both means above 0 by more than noise: additive. Leaving out is measured by the margin here, by the probability there. " + theirs,
		only: "default", check: both(explained(additiveAdam, []number{aboveGradient, aboveLeaveOut}, func(n []told) finding {
			return both2(above(n[0].interval, 0), above(n[1].interval, 0), "τ more than attention with gradient × input "+n[0].String()+", with leaving out "+n[1].String())
		}))},
	{Section: "Jain and Wallace 2019, abstract", Quote: "One can identify very different attention distributions that nonetheless yield equivalent predictions.",
		Rule: "in more than half of the reviews weights at a divergence of 0.6 or more (of at most 0.69) move no probability by more than 0.01: additive. For IMDB they published a histogram, no number",
		only: "default", check: both(explained(additiveAdam, []number{farReviews}, func(n []told) finding {
			return finding{above(n[0].interval, frequently), "share of reviews " + n[0].String()}
		}))},
	{Section: "Wiegreffe and Pinter 2019, 3.1", Quote: "On IMDb learned weights gain little over uniform ones (table 2, not verified: F1 0.902 and 0.879).",
		Rule: "additive lies less than 3 points above attention=uniform. " + theirs + ", all of test. The points are of accuracy; the evidence also gives F1",
		only: "default", check: both(all(not(gains(additiveAdam.with("attention=uniform"), additiveAdam, little)), tellsF1(additiveAdam), tellsF1(additiveAdam.with("attention=uniform"))))},
	{Section: "Wiegreffe and Pinter 2019, 3.3", Quote: "The weights of an LSTM help a network that sees each word alone more than uniform weights do (table 3).",
		Rule: "tme9-values with tanh values and the weights of additive imposed is better than with uniform weights, by more than noise",
		only: "default", check: both(gains(valuesAdam.with("value.activation=tanh", "attention=uniform"),
			valuesAdam.with("value.activation=tanh", "attention=imposed", "attention.base=additive"), 0))},
	{Section: "Wiegreffe and Pinter 2019, 4", Quote: "A model that is trained to attend elsewhere in all reviews pays with its answers (figure 5, a curve without numbers).",
		Rule: "an adversary with λ = 0.001 lies farther from tme9-lstm than one with λ = 0, in its weights and in its answers, by more than noise; the evidence also gives another seed",
		only: "default", check: both(explained(lstmAdam, []number{nearWeights, farWeights, nearAnswers, farAnswers, seedWeights, seedAnswers}, func(n []told) finding {
			return both2(n[1].aboveThat(n[0]), n[3].aboveThat(n[2]), "divergence of weights "+n[0].short()+" with λ = 0, "+n[1].short()+" with 0.001, "+n[4].short()+" of another seed; difference of answers "+
				n[2].short()+", "+n[3].short()+", "+n[5].short())
		}, adversaryOf(lstmAdam, "0"), adversaryOf(lstmAdam, "0.001")))},
}

// adversaryOf returns the row of the adversary of a row.
func adversaryOf(row rowOf, lambda string) rowOf {
	return row.with("attention=adversarial", "attention.base="+row.name, "attention.lambda="+lambda)
}

// both2 combines two verdicts as all does.
func both2(a, b Verdict, numbers string) finding {
	if verdictRank[b] > verdictRank[a] {
		a = b
	}
	return finding{a, numbers}
}
