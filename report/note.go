package report

import "slices"

// Kind says why a number needs a footnote.
type Kind string

// The kinds of notes. They are data: a reader of the CSV can filter by them.
const (
	OtherData     Kind = "other data"        // not the full IMDB: nothing published to stand beside
	Shorter       Kind = "shorter training"  // fewer epochs than published
	Cut           Kind = "cut"               // reviews lose their ends, which the published row has
	OtherSettings Kind = "other settings"    // the user set what the published row leaves to the experiment
	Unfinished    Kind = "unfinished"        // the run stopped
	Training      Kind = "training"          // the run goes on at this moment
	Diverged      Kind = "diverged"          // the loss stopped being finite, or exploded
	Unlearned     Kind = "has not learned"   // says no more than guessing does
	Older         Kind = "older result"      // made by an older version of the program's results
	Repeated      Kind = "not averaged"      // the same seed twice, or nothing tells why two runs differ
	Oracle        Kind = "oracle"            // the best epoch on test, which no honest choice can know
	Looked        Kind = "test looked at"    // so often, where something can have been chosen by it
	Source        Kind = "published"         // a remark on the published number
	Damaged       Kind = "damaged"           // part of the run folder could not be read
	Denied        Kind = "not yours to read" // the run folder may be whole
	Missing       Kind = "nothing published" // an experiment without a published row
	Untested      Kind = "never tested"      // runs that do not look at test
	Doubted       Kind = "doubted"           // a published number that others could not get
	Unchecked     Kind = "not checked"       // a published number that was not read where it was published
)

// OracleKey says what the word means, wherever a table has it.
const OracleKey = "oracle: by the epoch that is best on test, which nobody knows who has not looked: no result"

// Note is a remark that travels with a number and prints as a footnote.
type Note struct {
	Kind Kind
	Text string // what there is to say beside the kind; may be empty
}

// String returns the note as footnotes print it, without a full stop.
func (n Note) String() string {
	if n.Text == "" {
		return string(n.Kind)
	}
	return string(n.Kind) + ": " + n.Text
}

// OfProgress reports whether the note tells how far a run came.
func (n Note) OfProgress() bool {
	return n.Kind == Unfinished || n.Kind == Training || n.Kind == Diverged || n.Kind == Older || n.Kind == Damaged
}

// ProgressNotes are the notes on how far a run came, which explain by
// themselves why it stands apart.
func ProgressNotes(r *Result) []Note {
	return slices.DeleteFunc(slices.Clone(r.Notes), func(n Note) bool { return !n.OfProgress() })
}
