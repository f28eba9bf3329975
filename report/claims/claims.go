// Package claims checks the published report against our runs. Each claim is a sentence of
// the report with a rule that is evaluated on runs.
package claims

import "slices"

// Claim is a sentence of the published report, or of another paper, checked on runs.
type Claim struct {
	Section string // of the report, or the paper with its section
	Quote   string // in English
	Rule    string // when the claim counts as true, in words
	only    string // the only variant it can be checked on; "" for both

	check, original rule // original, if not nil, checks the published code
}

// The rows used by the claims.
var (
	meanAdam, meanSGD     = rowOf{"tme9-mean", "adam", nil}, rowOf{"tme9-mean", "sgd", nil}
	simpleAdam, simpleSGD = rowOf{"tme9-simple", "adam", nil}, rowOf{"tme9-simple", "sgd", nil}
	queryAdam             = rowOf{"tme9-query", "adam", nil}
	valuesAdam, valuesSGD = rowOf{"tme9-values", "adam", nil}, rowOf{"tme9-values", "sgd", nil}
	lstmAdam, lstmSGD     = rowOf{"tme9-lstm", "adam", nil}, rowOf{"tme9-lstm", "sgd", nil}
	biLSTMSGD             = rowOf{"tme9-bilstm", "sgd", nil}
	entropySGD            = rowOf{"tme9-entropy", "sgd", nil}
	additiveAdam          = rowOf{"additive", "adam", nil}
	selfAdam              = rowOf{"tme10-self", "adam", nil}
	peAdam, peSGD         = rowOf{"tme10-pe", "adam", nil}, rowOf{"tme10-pe", "sgd", nil}
	clsAdam, clsPEAdam    = rowOf{"tme10-cls", "adam", nil}, rowOf{"tme10-cls-pe", "adam", nil}
)

// claims holds all claims. Their thresholds are in evidence.go.
var claims = slices.Concat(ofReport, ofDebate, ofPairs)

// ofReport holds the claims of the report, TME 9 before TME 10, in the order of its sections.
var ofReport = []Claim{
	{Section: "TME 9, 1.1", Quote: "The mean model does not overfit.",
		Rule:  "no overfitting with Adam and SGD: train accuracy less than 2 points above test, test loss at most 0.02 above its minimum",
		check: all(not(overfits(meanAdam)), not(overfits(meanSGD)))},
	{Section: "TME 9, 1.2", Quote: "Attention gains five points over the mean.",
		Rule:  "tme9-simple is at least 4.5 points (five, rounded) above tme9-mean, with Adam and SGD",
		check: all(gains(meanAdam, simpleAdam, fivePoints), gains(meanSGD, simpleSGD, fivePoints))},
	{Section: "TME 9, 1.2", Quote: "Simple attention does not overfit.",
		Rule:  "no overfitting with Adam and SGD",
		check: all(not(overfits(simpleAdam)), not(overfits(simpleSGD)))},
	{Section: "TME 9, 1.2–1.4", Quote: "With SGD the entropies fall during training.",
		Rule:  "mean test entropy after the last epoch at least 0.1 nats below that after the first: simple, values, LSTM",
		check: all(entropyFalls(simpleSGD), entropyFalls(valuesSGD), entropyFalls(lstmSGD))},
	{Section: "TME 9, remark", Quote: "With Adam they tend to rise.",
		Rule:  "at least 0.1 nats above: simple, values, LSTM",
		check: all(entropyRises(simpleAdam), entropyRises(valuesAdam), entropyRises(lstmAdam))},
	{Section: "TME 9, 1.2–1.4", Quote: "The entropies fall mainly in the first 30 epochs.",
		Rule:  "with SGD the mean test entropy falls by at least 0.1 nats, and after epoch 30 more than half of that is done: simple, values, LSTM",
		check: all(fallsEarly(simpleSGD), fallsEarly(valuesSGD), fallsEarly(lstmSGD))},
	{Section: "TME 9, 1.2", Quote: "Reviews of high entropy carry no particular sentiment.",
		Rule:  "the tenth of the test reviews with the highest entropy is classified less well than the others (tme9-simple)",
		check: vaguer(simpleAdam)},
	{Section: "TME 9, 1.2", Quote: "Attention is not on words that a human would choose.",
		Rule:  "40 words of praise and blame get no larger weights than other words do (tme9-simple); the report's own list of words showed ranks for positions",
		check: overlooksOpinions(simpleAdam)},
	{Section: "TME 9, 1.3", Quote: "A query for each review without values overfits; values cure it.",
		Rule:  "tme9-query overfits, tme9-values does not, with Adam",
		check: all(overfits(queryAdam), not(overfits(valuesAdam)))},
	{Section: "TME 9, 1.3", Quote: "SGD removes the overfitting at a small cost.",
		Rule:  "tme9-values with SGD does not overfit and is at most 1 point below Adam",
		check: all(not(overfits(valuesSGD)), gains(valuesAdam, valuesSGD, -smallCost))},
	{Section: "TME 9, 1.3", Quote: "With SGD the values have not converged after 100 epochs.",
		Rule:  "train loss still falls by more than 0.001 nats in ten epochs (the last five against the five that end ten epochs before): tme9-values with SGD",
		check: stillLearns(valuesSGD)},
	{Section: "TME 9, 1.3", Quote: "Longer training would gain more.",
		Rule:  "twice the epochs with SGD, 200, are better than 100 by more than noise: values, LSTM",
		check: all(gains(valuesSGD, valuesSGD.with("epochs=200"), 0), gains(lstmSGD, lstmSGD.with("epochs=200"), 0))},
	{Section: "TME 9, 1.3", Quote: "Values flatten the histogram of the entropies.",
		Rule:  "the middle half of the test entropies spreads at least 0.1 nats wider in tme9-values than in tme9-simple, with SGD",
		check: flatter(simpleSGD, valuesSGD)},
	{Section: "TME 9, 1.4", Quote: "With Adam the LSTM overfits whatever the settings.",
		Rule:  "every finished run of tme9-lstm with Adam overfits",
		check: alwaysOverfits(lstmAdam)},
	{Section: "TME 9, 1.4", Quote: "The LSTM overfits because the data are few.",
		Rule:  "with a quarter of the train reviews train and test part by at least 2 points more (mean of the last five epochs): tme9-lstm with Adam",
		check: widens(lstmAdam, lstmAdam.with("data.train=6250"))},
	{Section: "TME 9, 1.4", Quote: "The LSTM lowers the entropies most.",
		Rule:  "its mean test entropy ends at least 0.1 nats below simple and values, with SGD",
		check: all(lowerEntropy(simpleSGD, lstmSGD), lowerEntropy(valuesSGD, lstmSGD))},
	{Section: "TME 9, 1.4", Quote: "A bidirectional LSTM would lower them further (not tried).",
		Rule: "the mean test entropy of tme9-bilstm ends at least 0.1 nats below tme9-lstm, with SGD",
		only: "default", check: lowerEntropy(lstmSGD, biLSTMSGD)},
	{Section: "TME 9, 1.5", Quote: "λ = 0.001 is the only useful value.",
		Rule:     "it halves the mean entropy of tme9-values and accuracy stays above 55, by more than noise (of entropies 0.1 nats); ten times more and less do not both",
		original: onlyUseful(valuesSGD, entropySGD, entropySGD.with("lambda=0.0001"), entropySGD.with("lambda=0.01")),
		check:    onlyUseful(valuesSGD, entropySGD, entropySGD.with("lambda=0.0064"), entropySGD.with("lambda=0.64"))},
	{Section: "TME 9, 1.5", Quote: "The penalty drives the entropies to zero and costs accuracy.",
		Rule:  "tme9-entropy ends with a mean entropy of at most 0.5 nats (less than two words; undecided within 0.1 of it), and below tme9-values in accuracy, with SGD",
		check: all(entropyVanishes(entropySGD), costs(valuesSGD, entropySGD))},
	{Section: "TME 9, 1.6", Quote: "85 % cannot be passed with this kind of approach.",
		Rule: "the best setting of the six models has a test accuracy below 85",
		check: neverAbove(limit85, []rowOf{lstmAdam}, "tme9-mean", "tme9-simple", "tme9-query", "tme9-values", "tme9-lstm",
			"tme9-entropy")},
	{Section: "TME 9, on the whole", Quote: "Adam converges faster than SGD.",
		Rule: "Adam comes within 1 point of where SGD ends (mean of its last five epochs) in at most half of the epochs that SGD takes, the median of the seeds; " +
			"it fails if Adam takes as many or more: mean, simple, values, LSTM",
		check: all(sooner(meanAdam, meanSGD), sooner(simpleAdam, simpleSGD), sooner(valuesAdam, valuesSGD), sooner(lstmAdam, lstmSGD))},
	{Section: "TME 9, on the whole", Quote: "Adam is less sensitive to the learning rate than SGD.",
		Rule:  "with a tenth, once and ten times its rate, Adam loses at least 1 point less from the best to the worst than SGD; it fails if SGD does: tme9-simple",
		check: lessSensitive(rates(simpleAdam, "0.0001", "0.01"), rates(simpleSGD, "0.001", "0.1"))},

	{Section: "TME 10, 2.1", Quote: "Without positions training is unstable.",
		Rule:  "test accuracy of tme10-self moves by more than 1 point an epoch on average, over the second half of training",
		check: isUnstable(selfAdam)},
	{Section: "TME 10, 2.1", Quote: "Batches of 16 make it unstable.",
		Rule:  "with batch=64 the test accuracy of tme10-self moves at most 0.8 times as much an epoch as with 16",
		check: stabilises(selfAdam, selfAdam.with("batch=64"))},
	{Section: "TME 10, 2.1", Quote: "LayerNorm gives the same as BatchNorm.",
		Rule: "tme10-self with norm=layer lies within 1 point of norm=batch",
		only: "default", check: same(selfAdam, selfAdam.with("norm=layer"), sameAccuracy)},
	{Section: "TME 10, 2.2", Quote: "Positions stabilise and, above all with SGD, overfit.",
		Rule:  "with tme10-pe test accuracy moves at most 0.8 times as much an epoch as with tme10-self; tme10-pe overfits with SGD",
		check: all(stabilises(selfAdam, peAdam), overfits(peSGD))},
	{Section: "TME 10, 2.3", Quote: "CLS removes the overfitting and stabilises.",
		Rule:  "tme10-cls does not overfit, and moves at most 0.8 times as much an epoch as tme10-self",
		check: all(not(overfits(clsAdam)), stabilises(selfAdam, clsAdam))},
	{Section: "TME 10, 2.3", Quote: "CLS with positions collapses.",
		Rule:  "tme10-cls-pe lies at least 5 points below tme10-cls",
		check: not(gains(clsAdam, clsPEAdam, -collapse))},
	{Section: "TME 10, 2.4", Quote: "Self-attention does not beat global attention here.",
		Rule: "the best setting of the four models of TME 10 lies below tme9-simple with Adam",
		check: notBetter(simpleAdam, []rowOf{selfAdam, peAdam, clsAdam, clsPEAdam},
			"tme10-self", "tme10-pe", "tme10-cls", "tme10-cls-pe")},
	{Section: "TME 10, on the whole", Quote: "Attention disappoints because the data set is too small.",
		Rule: "models that have first learned from IMDB's texts without their labels are at least 1 point better: tme9-lstm from lm-lstm, tme10-self and tme10-cls from mlm-self, with Adam",
		only: "default", check: all(gains(lstmAdam, lstmAdam.with("init=lm-lstm"), 1), gains(selfAdam, selfAdam.with("init=mlm-self"), 1),
			gains(clsAdam, clsAdam.with("init=mlm-self"), 1))},
}

// rates returns a row with its default learning rate, followed by the row with other rates.
func rates(row rowOf, others ...string) []rowOf {
	out := []rowOf{row}
	for _, lr := range others {
		out = append(out, row.with("lr="+lr))
	}
	return out
}

// onlyUseful checks that only the first of several weights of the penalty is useful.
func onlyUseful(without, row rowOf, others ...rowOf) rule {
	rules := []rule{useful(without, row)}
	for _, o := range others {
		rules = append(rules, not(useful(without, o)))
	}
	return all(rules...)
}
