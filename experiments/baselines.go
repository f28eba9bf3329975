package experiments

// Group baselines: what counting n-grams comes to, without attention. None has a published
// number in the report.

// solved are the settings of what a solver finds the weights of.
var solved = []Diff{{"epochs=30", "a bound: the solver ends when it has converged"}, testLast}

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
	}
}
