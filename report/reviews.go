package report

import (
	"cmp"
	"fmt"
	"math"

	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// The labelled reviews of the full IMDB, the only data that the published numbers are about.
const (
	IMDBTrain = 25000
	IMDBTest  = 25000
)

// FullIMDB reports whether a run used all labelled reviews of IMDB as published. It checks the digest
// of the data, because neither a name nor numbers of reviews prove anything.
func FullIMDB(c *runs.Config) bool {
	return TestsIMDB(c) && c.Data.Train.Reviews+c.Data.Valid.Reviews == IMDBTrain
}

// PartOfIMDB reports whether a run was trained on some of the reviews of IMDB and tested
// on all of them (data.train).
func PartOfIMDB(c *runs.Config) bool {
	return TestsIMDB(c) && c.Data.Train.Reviews+c.Data.Valid.Reviews < IMDBTrain
}

// TestsIMDB reports whether a run was tested on all test reviews of IMDB.
func TestsIMDB(c *runs.Config) bool {
	return c.Data.Name == "imdb" && c.Digests["data"] == dataset.Published("imdb") && c.General().Limit == 0 && c.Data.Test.Reviews == IMDBTest
}

// Reviews identifies the reviews that a run saw.
type Reviews struct {
	Name, Digest string
	Limit        int  // of each class and split; 0: all
	Redrawn      bool // divided into train and test again: runs may have different test sets
}

// ReviewsOf returns the reviews that a run saw.
func ReviewsOf(c *runs.Config) Reviews {
	return Reviews{c.Data.Name, c.Digests["data"], c.General().Limit, c.Redrawn()}
}

// DataTitle names the data of a run, and its limit if there is one.
func DataTitle(c *runs.Config) string {
	known := map[string]string{"imdb": "IMDB", "sample": "Embedded sample", "phrases": "Embedded phrases", "": "Unknown data"}
	name := cmp.Or(known[c.Data.Name], c.Data.Name)
	if l := c.General().Limit; l > 0 {
		name += fmt.Sprintf(", first %d %s", l, c.Data.Unit())
		if len(c.Classes) > 0 {
			name += " of each class"
		}
	}
	if c.Redrawn() {
		name += ", divided again"
	}
	return name
}

// ReviewsTitle names the reviews that a run saw, and their number.
func ReviewsTitle(c *runs.Config) string {
	return fmt.Sprintf("%s: %s training and %s test %s", DataTitle(c),
		format.Thousands(c.Data.Train.Reviews+c.Data.Valid.Reviews), format.Thousands(c.Data.Test.Reviews), c.Data.Unit())
}

// Variants are the variants that always have a column next to the published numbers.
var Variants = []string{"original", "default"}

// Uniform is the entropy of uniform attention over a test review of typical length. Histograms
// mark it.
type Uniform struct {
	Nats float64 // 0: none, because attention also covers padding
	At   string  // its review length: "median" of the test reviews, or "mean" before there are predictions
}

// UniformOf returns the uniform entropy of a run.
func UniformOf(run *runs.Run) Uniform {
	p, err := run.Predictions()
	if err != nil {
		p = &runs.Predictions{}
	}
	return UniformIn(&run.Config, p)
}

// UniformIn returns the uniform entropy of a run with these predictions, which may be empty.
func UniformIn(c *runs.Config, p *runs.Predictions) Uniform {
	var logs []float64 // of the numbers of words
	for _, r := range p.Rows {
		if r.Words > 0 {
			logs = append(logs, math.Log(float64(r.Words)))
		}
	}
	median, mean := stats.Median(logs), math.Log(float64(c.Data.Test.Words)/float64(max(1, c.Data.Test.Reviews)))
	switch {
	case c.Padded():
		return Uniform{}
	case median > 0:
		return Uniform{median, "median"}
	case mean > 0:
		return Uniform{mean, "mean"}
	}
	return Uniform{}
}
