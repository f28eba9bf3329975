package runs

import (
	"math"
	"strconv"
	"strings"

	"imdbexp/internal/settings"
)

// slack is what any file may have beyond what the settings account for: a model may have
// widths of its own that no setting names.
const slack = 64 << 20

// Bounds of single things in files, far beyond real ones.
const (
	metricsBytes   = 2 << 10 // a line of metrics or timing without heads
	headBytes      = 256     // of such a line, for each head and split
	histogramBytes = 2 << 10 // a line of entropy.jsonl
	rowBytes       = 1 << 10 // a row of answers without classes and words
	wordBytes      = 64      // a word in a table or sentence, a mean over all of them
	classBytes     = 16      // a probability
)

// limit returns how many bytes a file of the run can have at the most, which follows from
// its settings and from how much data it says it saw: epochs, layers and heads, reviews,
// words, widths. What is larger is none of this run's, and is refused before it is read.
func (c *Config) limit(file string) int64 {
	layers, heads, _ := c.shape()
	perHead := layers * heads
	epochs, reviews := float64(c.Epochs()), float64(c.Data.Train.Reviews+c.Data.Valid.Reviews+c.Data.Test.Reviews)
	words := float64(c.Data.Train.Words + c.Data.Valid.Words + c.Data.Test.Words + c.Data.Train.Targets + c.Data.Valid.Targets + c.Data.Test.Targets)
	n := 0.0
	switch file {
	case MetricsFile, timingFile, TestedFile:
		n = epochs * (metricsBytes + 2*perHead*headBytes)
	case EntropyFile:
		n = epochs * 2 * (1 + 2*perHead) * histogramBytes
	case PredictionsFile:
		row := float64(rowBytes)
		for _, class := range c.Classes {
			row += classBytes + 2*float64(len(class))/float64(len(c.Classes))
		}
		n = row * float64(c.Data.Test.Reviews)
	case TranslationsFile:
		n = 4*rowBytes*float64(c.Data.Test.Reviews) + 4*wordBytes*words
	case storeFolder:
		if c.Counts() {
			n = c.vocabulary()*(wordBytes+8) + 4*8*c.features()
			break
		}
		n = c.vocabulary() * (wordBytes + 8 + 4*c.dim())
		return int64(n + 1<<20) // which depends on no model
	default:
		if c.Counts() { // weights, and the solver's in double precision
			n = 12 * (c.features() + 1) * float64(len(c.Classes))
			break
		}
		// A checkpoint: each number with the optimiser's two, and in an epoch what each review has given
		n = 4*3*c.numbers() + 8*reviews*(4+2*perHead)
		if mean := c.Setting("average"); mean != "" && mean != "0" {
			n += 4 * c.numbers()
		}
		if c.Wide() { // n-grams, their weights, and scores of reviews
			n += 48*c.features() + wordBytes*c.vocabulary() + 4*reviews*float64(len(c.Classes))
		}
	}
	return int64(min(n+slack, math.MaxInt64/2))
}

// shape returns the layers and heads of the model, and the sum of all that its settings
// count, among them its widths.
func (c *Config) shape() (layers, heads, widths float64) {
	layers, heads, widths = 1, 1, c.dim()
	for _, s := range c.Settings {
		n, err := strconv.ParseInt(s.Value, 10, 32)
		if err != nil || n < 1 || settings.OfEveryRun(s.Key) {
			continue
		}
		switch widths += float64(n); s.Key {
		case "layers":
			layers = float64(n)
		case "heads":
			heads = float64(n)
		}
	}
	return layers, heads, widths
}

// dim bounds the width of word vectors.
func (c *Config) dim() float64 {
	r := c.General()
	name := r.Vectors.Vectors
	if name == "corpus" || name == "random" {
		return float64(r.Dim)
	}
	if rest, glove := strings.CutPrefix(name, "glove"); glove {
		if d, err := strconv.Atoi(rest); err == nil && d > 0 && d <= 300 {
			return float64(d)
		}
	}
	return 1000 // an added file
}

// vocabulary bounds the words that a run knows: no more than it saw, and of long texts,
// whose words come back, 500·√n, ten times those of IMDB.
func (c *Config) vocabulary() float64 {
	n := 0.0
	for _, p := range []Part{c.Data.Train, c.Data.Valid, c.Data.Test} {
		n += float64(p.Words + p.Targets)
	}
	words := min(n, max(2e6, 500*math.Sqrt(n))) + 16
	if longest := c.General().NGrams; longest > 1 {
		words += float64(longest-1) * float64(c.Data.Train.Words)
	}
	return words
}

// features bounds the n-grams that a run counts: no more than begin at each word of train.
func (c *Config) features() float64 {
	longest, err := strconv.Atoi(c.Setting("ngrams"))
	if err != nil {
		longest = 3 // of model nbsvm beside a network
	}
	return float64(max(1, longest)) * float64(c.Data.Train.Words)
}

// numbers bounds the trained numbers of the model: matrices between any two of its widths,
// 64 a layer and head, and a row for each word or class.
func (c *Config) numbers() float64 {
	layers, heads, widths := c.shape()
	rows := float64(len(c.Classes))
	if r := c.General(); c.Data.Kind == PairsKind || r.TrainVectors || r.Unknown() == "learned" {
		rows += 4 * c.vocabulary()
	}
	return 64*layers*heads*widths*widths + rows*widths
}
