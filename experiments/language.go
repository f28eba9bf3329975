package experiments

// Group language: models that learn from texts without labels, for classifiers to start from (init=RUN), and a
// classifier that does. No language model has a published number: what they guess from are words of the batch.

func language() []*Experiment {
	few := []Diff{{"epochs=5", "the sample is small"}, {"batch=16", "more steps from few texts"}, {"lr=0.01", "fewer epochs do"}, {"learned.words=300", "it has 391 words"}}
	reader := func(name, shows string, more ...Diff) *Experiment {
		return &Experiment{
			Name: name, Group: "language", Model: "language", Shows: shows,
			Settings: append([]Diff{
				{"batch=32", "steps enough in few epochs"}, {"clip=1", "gradients of recurrent layers explode now and then"},
				{"schedule=cosine", "falls to zero at the end"}, testLast}, more...),
			Sample: few,
			Rows:   []Row{{Optimizer: "adam", Settings: []Diff{{"lr=0.003", "above Adam's default: fewer epochs do"}, {"epochs=2", "75 000 texts are many"}}}},
		}
	}
	large := reader("lm-best", "guesses the next word and the word before, for best-pretrained to start from",
		Diff{"direction=both", "the classifier reads in both directions"},
		Diff{"vectors=corpus", "as the classifier"}, Diff{"vectors.dim=200", "as the classifier"},
		Diff{"lstm.hidden=256", "a language needs more than a sentiment"})
	large.Rows = []Row{{Optimizer: "adam", Settings: []Diff{
		{"lr=0.002", "wider than lm-bilstm"}, {"epochs=3", "the loss still falls by 0.1 from the second to the third"}}}}
	large.Sample = append(few[:len(few):len(few)], Diff{"vectors.dim=50", "391 words need no more"}, Diff{"lstm.hidden=50", "nor do its sentences"})
	masked := func(name, model, shows string, more ...Diff) *Experiment {
		e := reader(name, shows, append([]Diff{{"data.max_len=512", "time grows with the square of the length"}}, more...)...)
		e.Model = model
		return e
	}
	return []*Experiment{
		reader("lm-lstm", "guesses each next word, for an LSTM to start from"),
		reader("lm-lstm-backward", "guesses each word before", Diff{"direction=backward", "reads from the end"}),
		reader("lm-bilstm", "guesses the next word and the word before, by two LSTMs", Diff{"direction=both", "for a classifier that reads in both directions"}),
		large,
		masked("mlm-self", "masked-self", "guesses hidden words, for tme10-self to start from"),
		masked("mlm-transformer", "masked-transformer", "guesses hidden words, for transformer to start from",
			Diff{"positions=sinusoid", "as the classifier"}, Diff{"schedule.warmup=0.2", "post-norm needs one"}),
		bestPretrained(),
	}
}

// bestPretrained is best with the states of lm-best, which it trains further.
func bestPretrained() *Experiment {
	return &Experiment{
		Name: "best-pretrained", Group: "language", Model: "lstm",
		Shows: "best, but from a language model in both directions",
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
}
