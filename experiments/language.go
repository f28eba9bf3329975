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
	return []*Experiment{
		reader("lm-lstm", "guesses each next word, for an LSTM to start from"),
		reader("lm-lstm-backward", "guesses each word before", Diff{"direction=backward", "reads from the end"}),
		reader("lm-bilstm", "guesses the next word and the word before, by two LSTMs", Diff{"direction=both", "for a classifier that reads in both directions"}),
	}
}
