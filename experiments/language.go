package experiments

// Group language: models that learn from texts without labels, for classifiers to start from (init=RUN).
// None has a published number: what they guess from are words of the batch.

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
	wide := reader("lm-best", "guesses the next word and the word before, for best-pretrained to start from",
		Diff{"direction=both", "the classifier reads in both directions"},
		Diff{"vectors=corpus", "as the classifier"}, Diff{"vectors.dim=200", "as the classifier"},
		Diff{"lstm.hidden=256", "a language needs more than a sentiment"})
	wide.Rows = []Row{{Optimizer: "adam", Settings: []Diff{
		{"lr=0.002", "wider than lm-bilstm"}, {"epochs=3", "the loss still falls by 0.1 from the second to the third"}}}}
	wide.Sample = append(few[:len(few):len(few)], Diff{"vectors.dim=50", "391 words need no more"}, Diff{"lstm.hidden=50", "nor do its sentences"})
	masked := func(name, model, shows string, more ...Diff) *Experiment {
		e := reader(name, shows, append([]Diff{{"data.max_len=512", "time grows with the square of the length"}}, more...)...)
		e.Model = model
		return e
	}
	return []*Experiment{
		reader("lm-lstm", "guesses each next word, for an LSTM to start from"),
		reader("lm-lstm-backward", "guesses each word before", Diff{"direction=backward", "reads from the end"}),
		reader("lm-bilstm", "guesses the next word and the word before, by two LSTMs", Diff{"direction=both", "for a classifier that reads in both directions"}),
		wide,
		masked("mlm-self", "masked-self", "guesses hidden words, for tme10-self to start from"),
		masked("mlm-transformer", "masked-transformer", "guesses hidden words, for transformer to start from",
			Diff{"positions=sinusoid", "as the classifier"}, Diff{"schedule.warmup=0.2", "post-norm needs one"}),
	}
}
