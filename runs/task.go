package runs

import "slices"

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

// PairsKind is the kind of data that are pairs of a sentence and its translation.
const PairsKind = "pairs"

// TextsKind is the kind of data that are texts without labels.
const TextsKind = "texts"

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

// NgramsKind is the kind of data of which n-grams are counted: reviews as a bag of n-grams.
const NgramsKind = "ngrams"

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
