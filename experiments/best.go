package experiments

// Group best: how far one model gets on IMDB's labelled and unlabelled train reviews alone.

func best() []*Experiment {
	return []*Experiment{{
		Name: "best", Group: "best", Model: "lstm",
		Shows: "attention over an LSTM together with counted n-grams",
		Watch: "Compare it with nbsvm and with wide=none: it has both parts.",
		Settings: []Diff{
			{"vectors=corpus", "trained on all train reviews, those without a label, too"},
			{"vectors.dim=200", "words enough for more than 50"},
			{"lstm.hidden=100", "wide enough for them"},
			{"pool.max=true", "the maximum over the states, next to the attended mean"},
			{"wide=nbsvm", "n-grams see rare phrases, the LSTM their context"},
			{"word.dropout=0.1", "against overfitting, and a tenth faster"},
			{"input.dropout=0.2", "against overfitting"},
			{"state.dropout=0.3", "against overfitting"},
			{"average=0.998", "the mean of about the last 500 steps"},
			{"schedule=cosine", "falls to zero at the end"},
			{"members=5", "five networks on the same vectors and n-grams, below ten million dense weights"},
			testLast,
		},
		Sample: append(sample[:len(sample):len(sample)],
			Diff{"epochs=12", "with half of the input dropped it takes twice as long"},
			Diff{"average=0.98", "its steps are few"},
			Diff{"word.dropout=0", "in its grammar each word counts"},
			Diff{"members=3", "five take half a minute"}),
		Rows: []Row{{Optimizer: "adam", Settings: []Diff{
			{"lr=0.002", "at Adam's default of 0.001 it has not learned train yet when the rate is zero; 0.004 gives the same"},
			{"epochs=8", "in the last the validation loss no longer falls"},
		}}},
	}}
}
