package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

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
	return Reviews{c.Data.Name, c.Digests["data"], c.General().Limit, c.Resplit()}
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
	if c.Resplit() {
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

// Kind says why a number needs a footnote.
type Kind string

// The kinds of notes. They are data: a reader of the CSV can filter by them.
const (
	OtherData     Kind = "other data"                // not the full IMDB: no published numbers
	Shorter       Kind = "shorter training"          // fewer epochs than published
	Cut           Kind = "cut"                       // reviews lose their ends, which the published row has
	OtherSettings Kind = "other settings"            // the user changed settings of the experiment
	Unfinished    Kind = "unfinished"                // the run stopped
	Training      Kind = "training"                  // running now
	Diverged      Kind = "diverged"                  // the loss stopped being finite, or exploded
	Unlearned     Kind = "has not learned"           // no better than guessing
	OneClass      Kind = "one class only"            // predicts the same class for every review
	Older         Kind = "older result"              // made by an older version of the program's results
	Repeated      Kind = "not averaged"              // the same seed twice, or two runs differ for an unknown reason
	Leaked        Kind = "leaked"                    // trained on what it is tested on
	Tested        Kind = "evaluated on the test set" // how often, if something may have been chosen by it
	Source        Kind = "published"                 // a remark on the published number
	Damaged       Kind = "damaged"                   // part of the run folder could not be read
	Denied        Kind = "not yours to read"         // the run folder may be whole
	Missing       Kind = "nothing published"         // an experiment without a published row
	Untested      Kind = "never tested"              // runs not evaluated on the test set
	Doubted       Kind = "doubted"                   // a published number that others could not reproduce
	Overlapping   Kind = "overlapping test sets"     // runs over divisions of the same data
	Unseeded      Kind = "not random"                // a model in which the seed changes nothing, with several seeds
	Unchecked     Kind = "not checked"               // a published number quoted by someone else
	Noted         Kind = "note"                      // the user's own
	Tagged        Kind = "tagged"                    // the user's tags
)

// Note is a remark that travels with a number and prints as a footnote.
type Note struct {
	Kind Kind
	Text string // details; may be empty
}

// String returns the note as footnotes print it, without a full stop.
func (n Note) String() string { return strings.TrimSuffix(string(n.Kind)+": "+n.Text, ": ") }

// OfProgress reports whether the note is about the progress of a run.
func (n Note) OfProgress() bool {
	return n.Kind == Unfinished || n.Kind == Training || n.Kind == Diverged || n.Kind == Older || n.Kind == Damaged
}

// OfRun reports whether the note is about a single run, so that a search can have many of them.
func (n Note) OfRun() bool {
	return n.OfProgress() || n.Kind == Unlearned || n.Kind == OneClass || n.Kind == Repeated || n.Kind == Noted
}

// Own reports whether the note is the user's.
func (n Note) Own() bool { return n.Kind == Noted || n.Kind == Tagged }

// ProgressNotes returns the notes on the progress of a run. They explain why it is not
// averaged with others.
func ProgressNotes(r *Result) []Note {
	return Filter(r.Notes, Note.OfProgress)
}

// NotesOf returns the notes on runs of one setting, each once.
func NotesOf(list []*Result) (out []Note) {
	for _, r := range list {
		out = Union(out, r.Notes...)
	}
	return out
}

// JoinNotes joins notes for a field of a CSV.
func JoinNotes(list []Note) string {
	return strings.Join(Map(list, Note.String), "; ")
}
