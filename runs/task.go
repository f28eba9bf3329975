package runs

import (
	"slices"
	"strings"
)

// Task is what a run learns, as far as readers of its folder need to know: to classify
// reviews, to translate sentences, or to guess words. See experiments/task for how it is learned.
type Task struct {
	Kind     string    // of its data, in config.yaml
	One      string    // "review" or "pair"
	Unit     string    // its plural
	Accuracy string    // the name of the accuracies in Metrics
	Score    Measure   // by which runs are compared on the test set
	Decoded  []Measure // of its translations; none for reviews
	Answers  string    // name of the file with the outputs for the test set

	read func(*Run) (Answers, error)
}

// Measure is a measure of quality on the test set.
type Measure struct {
	Key  string // of Metrics, as metrics.jsonl has it
	Name string
	Unit string // " %" or ""
	Of   func(*Metrics) *float64
}

// Kinds of data. Others are reviews as word vectors.
const (
	PairsKind  = "pairs"  // a sentence and its translation
	TextsKind  = "texts"  // without labels
	NgramsKind = "ngrams" // reviews as a bag of n-grams
)

var (
	accuracy = Measure{"test_acc", "test accuracy", " %", func(m *Metrics) *float64 { return m.TestAcc }}
	exact    = Measure{"test_exact", "exact match", " %", func(m *Metrics) *float64 { return m.TestExact }}
	bleu     = Measure{"test_bleu", "BLEU", "", func(m *Metrics) *float64 { return m.TestBLEU }}
)

// The tasks.
var (
	Reviews = &Task{
		One: "review", Unit: "reviews", Accuracy: "accuracy", Score: accuracy, Answers: PredictionsFile,
		read: func(r *Run) (Answers, error) { return r.Predictions() },
	}
	Pairs = &Task{
		Kind: PairsKind, One: "pair", Unit: "pairs", Accuracy: "next words right", Score: exact, Decoded: []Measure{exact, bleu},
		Answers: TranslationsFile, read: func(r *Run) (Answers, error) { return r.Translations() },
	}
	Texts = &Task{
		Kind: TextsKind, One: "text", Unit: "texts", Accuracy: "words guessed", Score: accuracy, Answers: TextsFile,
		read: func(r *Run) (Answers, error) { return readAnswers(r, TextsFile, ParseGuessed) },
	}
)

// Task returns what the run learns.
func (c *Config) Task() *Task { return taskOf(c.Data.Kind) }

func taskOf(kind string) *Task {
	switch kind {
	case PairsKind:
		return Pairs
	case TextsKind:
		return Texts
	}
	return Reviews
}

// Counts reports whether the run's model counts n-grams. It then has Features and no word vectors.
func (c *Config) Counts() bool { return c.Data.Kind == NgramsKind }

// WideAndDeep reports whether the run adds the scores of an n-gram model to those of its
// network (setting wide; Cheng et al. 2016). The n-grams and their weights are among the
// States of its checkpoints.
func (c *Config) WideAndDeep() bool {
	wide := c.Setting("wide")
	return wide != "" && wide != "none"
}

// Names of the n-gram model's weights among the States.
const (
	wideWeights = "wide.W"
	wideBias    = "wide.b"
)

// Learned returns the trained arrays: Params, and the weights of an n-gram model next to
// the network, which were fitted before it.
func (c *Config) Learned(from *Checkpoint) []Tensor {
	out := slices.Clone(from.Params)
	if c.WideAndDeep() {
		for _, t := range from.States {
			if t.Name == wideWeights || t.Name == wideBias {
				out = append(out, t)
			}
		}
	}
	return out
}

// HasNgramRows reports whether a trained array has a row for each n-gram.
func (c *Config) HasNgramRows(t Tensor) bool {
	return c.Counts() && t.Name == "W" || c.WideAndDeep() && t.Name == wideWeights
}

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

// Ignored lists settings, or the first parts of their keys, that have no effect on the models of a kind of data, each
// with the reason.
type Ignored []struct{ key, why string }

// IgnoredOn has the settings without an effect for each kind of data. On labelled reviews every setting has one.
var IgnoredOn = map[string]Ignored{
	NgramsKind: {
		{"vectors", "n-grams have weights and no vectors"},
		{"oov", "a word that train does not have is part of no n-gram"},
		{"word.dropout", "its solver sees all of train at each step"},
		{"average", "its solver ends at the minimum of the loss"},
		{"batch", "its solver sees all of train at each step"},
		{"clip", "its solver chooses its steps"},
		{"optimizer", "its solver is a trust-region Newton method"},
		{"lr", "its solver chooses its steps"},
		{"momentum", "its solver chooses its steps"},
		{"adam", "its solver is a trust-region Newton method"},
		{"weight_decay", "c weighs the loss against the size of the weights"},
		{"schedule", "its solver chooses its steps"},
		{"slip.whitespace", "tokens=whitespace splits reviews at blanks alone"},
		{"slip", "it is a slip of published code for networks"},
	},
	PairsKind: {
		{"data.exclude", "a probe has labelled texts"},
		{"data.test_seed", "it divides labelled texts"},
		{"vectors", "a translator trains its own embeddings, for the words of its training pairs"},
		{"oov", "a word that the training pairs do not have has a learned embedding"},
		{"word.dropout", "a translator has dropout in its sublayers"},
		{"slip.whitespace", "tokens=whitespace splits sentences at blanks alone"},
		{"slip.choose_on_test", "select=best chooses by the validation pairs"},
		{"class.weights", "sentence pairs have no classes"},
		{"slip", "it is a slip of published code for reviews"},
	},
	TextsKind: {
		{"class.weights", "texts without labels have no classes"},
		{"vectors.train", "the vectors of the words are what it guesses"},
		{"vectors.adam", "the vectors of the words are what it guesses"},
		{"vectors.lr", "the vectors of the words are what it guesses"},
		{"vectors.ngrams", "it guesses words"},
		{"vectors.ngram_min", "it guesses words"},
		{"word.dropout", "it would guess words that do not follow"},
		{"dropout", "it has no classifier"},
		{"pool", "it has no classifier"},
		{"label_smoothing", "it has no classifier"},
		{"slip.whitespace", "tokens=whitespace splits texts at blanks alone"},
		{"slip", "it is a slip of published code for reviews"},
	},
}

// Find reports whether a setting is in the list, and why it has no effect.
func (list Ignored) Find(key string) (why string, is bool) {
	for _, m := range list {
		if key == m.key || strings.HasPrefix(key, m.key+".") {
			return m.why, true
		}
	}
	return "", false
}

// Has reports whether a setting is in the list.
func (list Ignored) Has(key string) bool {
	_, is := list.Find(key)
	return is
}

// Uses reports whether a general setting has an effect on the run's model.
func (c *Config) Uses(key string) bool {
	return !IgnoredOn[c.Data.Kind].Has(key)
}

// Used returns the text of a setting; "" if the run's model does not have it, or it has no effect on the model.
func (c *Config) Used(key string) string {
	if !c.Uses(key) {
		return ""
	}
	return c.Setting(key)
}
