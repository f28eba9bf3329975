package report

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/runs"
)

// neutral lists the settings that a user may change and still compare with the published row. The row's label names
// them if they differ.
var neutral = []string{
	"seed", "variant", "optimizer", "data", "data.limit", "epochs",
	"select", "select.by", "patience", "data.valid", "data.split_seed", "data.held", "test", "test.every", "test.tail",
}

// incomparable returns the reasons that the published numbers do not compare with a run, or
// nil if they do. For other data that is the only reason given. Done must be set.
func incomparable(r *Result, state runs.State) []Note {
	c := &r.Config
	if c.Published == nil {
		return []Note{{Kind: Missing}}
	}
	var notes []Note
	if !FullIMDB(c) {
		return []Note{{OtherData, "not the full IMDB as published (25 000 + 25 000 reviews), which the published numbers are about"}}
	}
	if want := c.Published.Epochs; r.Done < want && !r.asPlanned() {
		notes = append(notes, ShorterNote(fmt.Sprint(r.Done), want))
	}
	var other []string
	for _, s := range c.Given() {
		sameVectors := s.Key == "vectors" && s.Value == "glove50"
		if !sameVectors && !slices.Contains(neutral, s.Key) {
			other = append(other, fmt.Sprintf("%s (%s)", s.Key, c.From[s.Key])) // the row's label has the value
		}
	}
	if len(other) > 0 {
		notes = append(notes, Note{OtherSettings, strings.Join(other, ", ")})
	}
	if state == runs.Diverged {
		notes = append(notes, Note{Diverged, "not compared with the published row"})
	}
	return notes
}

// asPlanned reports whether the run has all epochs of its experiment and the user did not
// set their number.
func (r *Result) asPlanned() bool {
	byUser := slices.ContainsFunc(r.Config.Given(), func(s runs.Value) bool { return s.Key == "epochs" })
	return r.Done == r.Config.Epochs() && !byUser
}

// abridged returns notes on the parts of the published training that the experiment omits to
// run on a laptop. Its runs still compare with the published numbers.
func abridged(r *Result) []Note {
	c := &r.Config
	if c.Published == nil || !FullIMDB(c) {
		return nil
	}
	var notes []Note
	if want := c.Published.Epochs; r.Done < want && r.asPlanned() {
		notes = append(notes, ShorterNote(fmt.Sprint(r.Done), want))
	}
	byUser := slices.ContainsFunc(c.Given(), func(s runs.Value) bool { return s.Key == "data.max_len" })
	if words := c.General().MaxLen; words > 0 && !byUser {
		notes = append(notes, Note{Cut, fmt.Sprintf("reviews after %d words; the published row has all", words)})
	}
	return notes
}

// ShorterNote is the note on runs of fewer epochs than the published row.
func ShorterNote(done string, want int) Note {
	noun := "epochs"
	if done == "1" {
		noun = "epoch"
	}
	return Note{Shorter, fmt.Sprintf("%s %s, the published row has %d", done, noun, want)}
}

// progress returns the notes on how far a run came, and on its result version.
func progress(r *Result, s runs.Status) []Note {
	var notes []Note
	switch s.State {
	case runs.Damaged:
		notes = append(notes, Note{Damaged, s.Message + "; exp doctor says how to fix it"})
	case runs.Diverged:
		notes = append(notes, Note{Diverged, strings.TrimPrefix(fmt.Sprintf("%s; shown is epoch %d of %d", s.Reason(), r.Chosen.Epoch, s.Epochs), "; ")})
	case runs.Created:
		notes = append(notes, Note{Unfinished, "no epoch yet"})
	case runs.Training:
		notes = append(notes, Note{Training, fmt.Sprintf("%d of %s so far", r.Done, format.Counted(s.Epochs, "epoch"))})
	case runs.Unfinished:
		notes = append(notes, Note{Unfinished, fmt.Sprintf("%d of %s", r.Done, format.Counted(s.Epochs, "epoch"))})
	}
	if n, older := OlderNote(&r.Config); older {
		notes = append(notes, n)
	}
	return notes
}
