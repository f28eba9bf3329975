package experiments

// Group baselines: models that count words and n-grams and attend to none. Attention is
// worth what it has above them.

func baselines() []*Experiment { return []*Experiment{ngramMean()} }

// ngramMean is the classifier of fastText, with the n-grams that occur in train in place
// of hash buckets, so that each has a name.
func ngramMean() *Experiment {
	return &Experiment{
		Name: "ngram-mean", Group: "baselines", Model: "mean",
		Shows: "the mean of trained vectors of words and of pairs of words (Joulin et al. 2016)",
		Watch: "A pair such as “not good” has a vector of its own, which is all that this model knows of order. Hold what attention adds against it, not against tme9-mean.",
		Settings: []Diff{
			{"vectors=random", "everything is learned from the labels"},
			{"vectors.dim=10", "the paper's"},
			{"vectors.train=true", "as the paper does"},
			{"vectors.ngrams=2", "words and pairs of words"},
			testLast,
		},
		Sample: sample,
		Rows:   []Row{{Optimizer: "adam", Settings: []Diff{{"lr=0.01", ""}, {"epochs=10", ""}}}},
	}
}
