package figures

// Figures of commands, from a model or from a run and a review.
var _ = register(kind{name: "elsewhere", published: []Entry{
	{Number: 1, Experiment: "tme9-mean", Model: "mean", shows: "drawing of the mean model", Command: []string{"show", "tme9-mean"}},
	{Number: 5, Experiment: "tme9-simple", shows: "the words of a review with the largest attention", Command: []string{"attend", "tme9-simple"}},
	{Number: 6, Experiment: "tme9-values", Model: "values", shows: "drawing of query, keys and values", Command: []string{"show", "tme9-values"}},
	{Number: 18, Experiment: "tme10-pe", shows: "dot products between the embeddings of a review, with positions", Command: []string{"draw", "dots", "tme10-pe"}},
}})
