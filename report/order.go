package report

import (
	"cmp"
	"slices"
)

// inOrder is the order of the published report, for the experiments in it and
// those beside them.
var inOrder = []string{
	"tme9-mean", "tme9-simple", "tme9-query", "tme9-values",
	"tme9-lstm", "tme9-bilstm", "tme9-lstm-last", "tme9-lstm-mean", "tme9-entropy",
	"tme10-self", "tme10-pe", "tme10-cls", "tme10-cls-pe",
	"multihead", "transformer", "additive", "luong",
	"seq2seq-plain", "seq2seq-bahdanau", "seq2seq-luong", "seq2seq-transformer",
}

// ExperimentRank is the place of an experiment in that order; the others come last.
func ExperimentRank(name string) int {
	if i := slices.Index(inOrder, name); i >= 0 {
		return i
	}
	return len(inOrder)
}

// CompareExperiments orders the names of experiments as tables and figures have them.
func CompareExperiments(a, b string) int {
	return cmp.Or(ExperimentRank(a)-ExperimentRank(b), cmp.Compare(a, b))
}
