package experiments

// Group best: how far one model gets on IMDB's labelled and unlabelled train reviews alone.

func best() []*Experiment {
	pretrained := &Experiment{
		Name: "best-pretrained", Group: "best", Model: "lstm",
		Shows: "the same from a language model in both directions",
		Watch: "Compare it with best members=1: it has read the reviews without labels as a language, and best only as words.",
		Settings: []Diff{
			{"init=lm-best", "exp run lm-best trains it; with the same seed, if there are several"},
			{"vectors=corpus", "as best"},
			{"vectors.dim=200", "as best"},
			{"lstm.hidden=256", "as lm-best"},
			{"lstm.bidirectional=true", "as lm-best"},
			{"pool.max=true", "as best"},
			{"wide=nbsvm", "as best"},
			{"word.dropout=0.2", "against overfitting, and a fifth faster"},
			{"state.dropout=0.3", "as best"},
			{"average=0.998", "as best"},
			{"schedule=cosine", "as best"},
			testLast,
		},
		Sample: append(sample[:len(sample):len(sample)],
			Diff{"vectors.dim=50", "as lm-best"}, Diff{"lstm.hidden=50", "as lm-best"},
			Diff{"average=0.98", "its steps are few"}, Diff{"word.dropout=0", "in its grammar each word counts"}),
		Rows: []Row{{Optimizer: "adam", Settings: []Diff{
			{"lr=0.001", "Adam's default; a third of it for the pretrained weights (init.lr) is slower"},
			{"epochs=5", "in the last the validation loss no longer falls"},
		}}},
	}
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
	}, pretrained}
}
