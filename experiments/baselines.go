package experiments

// Group baselines: n-grams without attention. None has a published number in the report.

// solved are the settings of models with a solver.
var solved = []Diff{{"epochs=30", "a limit: the solver ends when it has converged"}, testLast}

// baselines is the group.
func baselines() []*Experiment {
	return []*Experiment{
		{
			Name: "nbsvm", Group: "baselines", Model: "nbsvm",
			Shows:    "n-grams, there or not, weighed by the classes that they are found in",
			Watch:    "Wang and Manning (2012) report 91.22 % on IMDB with bigrams.",
			Settings: solved,
		},
		{
			Name: "bow-lr", Group: "baselines", Model: "bow-lr",
			Shows:    "TF-IDF of n-grams, and logistic regression",
			Settings: solved,
		},
		ngramMean(),
	}
}

// ngramMean is the classifier of fastText, with the n-grams that occur in train in place
// of hash buckets, so that each has a name.
func ngramMean() *Experiment {
	return &Experiment{
		Name: "ngram-mean", Group: "baselines", Model: "mean",
		Shows: "the mean of trained vectors of n-grams",
		Watch: "A pair such as “not good” has its own vector; the model knows nothing else about word order. Compare attention with this model, not with tme9-mean.",
		Settings: []Diff{
			{"vectors=random", "everything is learned from the labels"},
			{"vectors.dim=20", "with lr, epochs and trigrams the best of five settings tried on reviews held out of train; Joulin et al. 2016 have 10"},
			{"vectors.train=true", "as the paper does"},
			{"vectors.ngrams=3", "with vectors.dim=20"},
			testLast,
		},
		Sample: []Diff{
			{"epochs=6", "the sample is learned quickly"},
			{"lr=0.003", "with a higher rate it overfits"},
			{"batch=16", "more steps from few reviews"},
		},
		SampleWith: []With{{"optimizer=sgd", []Diff{{"lr=0.3", "vectors that begin at zero move slowly"}, {"epochs=10", "a few more"}}}},
		Rows: []Row{{Optimizer: "adam", Settings: []Diff{
			{"lr=0.003", "with vectors.dim=20"},
			{"epochs=5", "after that it overfits"},
		}}},
	}
}
