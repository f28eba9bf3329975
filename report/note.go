package report

import (
	"slices"
	"strings"
)

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
	Oracle        Kind = "best test epoch"           // the best test epoch, which no valid choice can find
	Looked        Kind = "evaluated on the test set" // how often, if something may have been chosen by it
	Source        Kind = "published"                 // a remark on the published number
	Damaged       Kind = "damaged"                   // part of the run folder could not be read
	Denied        Kind = "not yours to read"         // the run folder may be whole
	Missing       Kind = "nothing published"         // an experiment without a published row
	Untested      Kind = "never tested"              // runs not evaluated on the test set
	Doubted       Kind = "doubted"                   // a published number that others could not reproduce
	Overlapping   Kind = "overlapping test sets"     // runs over divisions of the same data
	Unseeded      Kind = "not random"                // a model in which the seed changes nothing, with several seeds
	Unchecked     Kind = "not checked"               // a published number quoted by someone else
	Noted         Kind = "note"                      // the user's own, and
	Tagged        Kind = "tagged"                    // the user's tags
)

// OracleKey explains the column of the best test epoch.
const OracleKey = "best test epoch: chosen on the test set, so not a valid result"

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
	return n.OfProgress() || n.Kind == Unlearned || n.Kind == OneClass || n.Kind == Repeated || n.Kind == Oracle || n.Kind == Noted
}

// Own reports whether the note is the user's.
func (n Note) Own() bool { return n.Kind == Noted || n.Kind == Tagged }

// ProgressNotes returns the notes on the progress of a run. They explain why it is not
// averaged with others.
func ProgressNotes(r *Result) []Note {
	return slices.DeleteFunc(slices.Clone(r.Notes), func(n Note) bool { return !n.OfProgress() })
}

// NotesOf returns the notes on runs of one setting, each once. A note of the user's names the experiment, or the runs that
// have it.
func NotesOf(list []*Result) (out []Note) {
	for _, r := range list {
		for _, n := range r.Notes {
			if n.Kind == Noted {
				of := slices.DeleteFunc(slices.Clone(list), func(r *Result) bool { return !slices.Contains(r.Notes, n) })
				who := r.Config.Name
				if len(of) == 1 || len(of) < len(list) {
					who += "/" + strings.ReplaceAll(IDs(of), " ", ", ")
				}
				n.Text += " (" + who + ")"
			}
			out = With(out, n)
		}
	}
	return out
}

// JoinNotes joins notes for a field of a CSV.
func JoinNotes(list []Note) string {
	return strings.Join(Each(list, Note.String), "; ")
}
