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
	Key  string // in metrics.jsonl
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
		Kind: PairsKind, One: "pair", Unit: "pairs", Accuracy: "next-word accuracy", Score: exact, Decoded: []Measure{exact, bleu},
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

// Learned is a trained array.
type Learned struct {
	Tensor
	Size   int  // numbers in it
	Ngrams bool // it has a row for each n-gram
}

// Learned returns the trained arrays: Params, and the weights of an n-gram model next to
// the network, which were fitted before it and are among the States.
func (c *Config) Learned(from *Checkpoint) (out []Learned) {
	for i, t := range slices.Concat(from.Params, from.States) {
		wide := t.Name == "wide.W"
		if i < len(from.Params) || wide || t.Name == "wide.b" {
			out = append(out, Learned{t, int(t.Bytes() / 4), wide || c.Counts() && t.Name == "W"})
		}
	}
	return out
}

// ResultVersion is the newest result version of this program, see PresentVersion.
const ResultVersion = 6

// PresentVersion returns the current result version of runs with the given settings. It is
// part of a run's ID, so that old results are never taken for new ones. It is raised for the
// affected runs when goldens change although no digest of data or vectors changes.
func PresentVersion(setting func(key string) string) int {
	set := func(key string) bool { v := setting(key); return v != "" && v != "0" && v != "false" && v != "none" }
	best := setting("select") == "best"
	choose := best || set("patience")
	divided := set("data.train") || set("data.limit") || choose
	vectors, oov, test := setting("vectors"), setting("oov"), setting("test")
	hasVectors := vectors != "" && vectors != "auto"
	grams := set("vectors.ngrams") && setting("vectors.ngrams") != "1" && divided
	// The vectors of the whole sample data set are its train reviews' own, so no other word has one.
	mean := !set("slip.oov_masked") && (oov == "mean" || oov == "learned") && (setting("data") != "sample" || vectors != "corpus" || divided)
	// Nothing is evaluated after some epochs; the test set is translated by weights that were not read back.
	skips := !choose && (test != "" && test != "each" || set("test.every") && setting("test.every") != "1")
	translates := test != "never" && !(test == "last" && best)
	switch {
	case hasVectors && mean, // the row of words without a vector is the mean over the words of the training reviews, not over those of train and test
		hasVectors && grams,    // n-grams of the training reviews, not of all of train
		set("wide"),            // the folds are ranges of each class by name
		set("schedule.warmup"): // the rate of the first step is not 0
		return 6
	case choose && !set("slip.choose_on_test"): // reviews with the same words are on one side of the validation split
		return 5
	case set("average") && (skips && setting("heads.penalty") != "" || translates && setting("beam") != ""):
		return 4 // translations and the similarity of heads use the averaged weights
	case set("slip.batch_slot_norm"): // a review's slot is its position in the sampled batch, which does not depend on its length or label
		return 2 // also with slip.pad, whose runs keep 2
	case set("slip.pad") && setting("norm") == "batch" && !set("slip.pad_statistics"): // the statistics omit padding
		return 3
	}
	return 1
}

// Behind returns by how many result versions the run is older than a new run with its
// settings. It is negative for runs of a newer program.
func (c *Config) Behind() int { return PresentVersion(c.Setting) - c.Result }

// Ignored are settings, or the first parts of their keys, that have no effect on the models of a kind of data.
type Ignored []string

// IgnoredOn has the settings without an effect for each kind of data. Reviews as word vectors use all settings.
var IgnoredOn = map[string]Ignored{
	NgramsKind: { // the solver sees all of train at each step and chooses its steps; c is its weight decay
		"adam", "average", "batch", "clip", "lr", "momentum", "oov", "optimizer", "schedule", "slip", "vectors", "weight_decay", "word.dropout"},
	PairsKind: {"class.weights", "data.exclude", "data.test_seed", "oov", "slip", "vectors", "word.dropout"},
	TextsKind: { // the model guesses the vectors of words and has no classifier
		"class.weights", "dropout", "label_smoothing", "pool", "slip", "vectors.adam", "vectors.lr", "vectors.ngram_min", "vectors.ngrams",
		"vectors.train", "word.dropout"},
}

// Has reports whether a setting is in the list.
func (list Ignored) Has(key string) bool {
	return slices.ContainsFunc(list, func(k string) bool { return key == k || strings.HasPrefix(key, k+".") })
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
