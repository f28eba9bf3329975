package runs

// ResultVersion is the newest result version of this program, see PresentVersion.
const ResultVersion = 6

// PresentVersion returns the current result version of runs with the given settings. It is
// part of a run's ID, so that old results are never taken for new ones. It is raised for the
// affected runs when goldens change although no digest of data or vectors changes:
//
//	6  with word vectors: the row of words without one was the mean of the words of train and test,
//	   and is that of the words that are trained on; with vectors.ngrams: the n-grams came from all
//	   of train, and come from what is trained on; with wide=nbsvm: the reviews of each class went
//	   to the folds in turn, and now are ranges by name, because neighbours are of one film; with
//	   schedule.warmup: the first step had a rate of 0.
//	5  with a validation split or wide=nbsvm: reviews with the same words could be on both sides
//	   of the split, or in several folds, and now are not.
//	4  with average, for models that translate or have heads: translations and the similarity
//	   of heads used the weights of the last step, and now use the averaged weights.
//	3  with slip.pad and batch norm, but not slip.pad_statistics: the statistics included
//	   padding, and now do not.
//	2  with slip.batch_slot_norm: a review's slot is its position in the sampled batch. It was
//	   the position by decreasing length and then by index, which depends on the length and,
//	   for reviews cut to data.max_len, on the label.
//	1  all others
func PresentVersion(setting func(key string) string) int {
	on := func(slip string) bool { return setting(slip) == "true" }
	set := func(key string) bool { v := setting(key); return v != "" && v != "0" }
	choose := setting("select") == "best" || set("patience")
	switch {
	case setting("wide") == "nbsvm", set("schedule.warmup"), learnsFromWords(setting):
		return 6
	case choose && !on("slip.choose_on_test"):
		return 5
	case set("average") && (skipsEvaluations(setting) && setting("heads.penalty") != "" || translatesLastWeights(setting) && setting("beam") != ""):
		return 4
	case on("slip.batch_slot_norm"):
		return 2
	case on("slip.pad") && setting("norm") == "batch" && !on("slip.pad_statistics"):
		return 3
	}
	return 1
}

// learnsFromWords reports whether something is learned from the words of train before training that
// those of other reviews could change: the mean row of words without a vector, or n-grams. The
// vectors of the whole sample data set are its train reviews' own, so no other word has one.
func learnsFromWords(setting func(key string) string) bool {
	set := func(key string) bool { v := setting(key); return v != "" && v != "0" }
	vectors, oov := setting("vectors"), setting("oov")
	if vectors == "" || vectors == "auto" { // the model has none
		return false
	}
	divided := set("data.train") || set("data.limit") || setting("select") == "best" || set("patience")
	if n := setting("vectors.ngrams"); n != "" && n != "1" && divided {
		return true
	}
	return setting("slip.oov_masked") != "true" && (oov == "mean" || oov == "learned") &&
		(setting("data") != "sample" || vectors != "corpus" || divided)
}

// skipsEvaluations reports whether nothing is evaluated after some epochs.
func skipsEvaluations(setting func(key string) string) bool {
	test, every, patience := setting("test"), setting("test.every"), setting("patience")
	each := (test == "" || test == "each") && (every == "" || every == "1")
	return !each && setting("select") != "best" && (patience == "" || patience == "0")
}

// translatesLastWeights reports whether the test set is translated by weights that were not
// read back from a checkpoint.
func translatesLastWeights(setting func(key string) string) bool {
	test := setting("test")
	return test != "never" && !(test == "last" && setting("select") == "best")
}

// Behind returns by how many result versions the run is older than a new run with its
// settings. It is negative for runs of a newer program.
func (c *Config) Behind() int { return PresentVersion(c.Setting) - c.Result }
