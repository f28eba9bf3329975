package runs

// Task is what a run learns, as those who read its folder have to know it: whether
// reviews are told apart or sentences translated. experiments/task has how it is
// learned.
type Task struct {
	Kind     string    // of its data, in config.yaml
	One      string    // what the data consists of
	Unit     string    // the same in the plural
	Accuracy string    // what the accuracies among Metrics count
	Score    Measure   // what a run is judged by on test
	Decoded  []Measure // what its answers on test are measured by, where they are more than a class
	Answers  string    // the file that holds what the model says about each of the test split

	read func(*Run) (Answers, error)
}

// Measure is a number that says how good the answers on test are.
type Measure struct {
	Key  string // of Metrics, as metrics.jsonl has it
	Name string
	Unit string // " %" or nothing
	Of   func(*Metrics) *float64
}

// PairsKind is the kind of data that have a translation beside each sentence.
const PairsKind = "pairs"

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
)

// Task returns what the run learns.
func (c *Config) Task() *Task { return taskOf(c.Data.Kind) }

func taskOf(kind string) *Task {
	if kind == Pairs.Kind {
		return Pairs
	}
	return Reviews
}
