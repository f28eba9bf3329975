package report

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/runs"
)

// neutral are settings that a user may give without leaving the published
// row's experiment: what the report itself tells apart, how the epoch that counts is
// chosen, and when test is looked at. The row's label names them where they differ.
var neutral = []string{
	"seed", "variant", "optimizer", "data", "data.limit", "epochs",
	"select", "patience", "data.valid", "data.split_seed", "data.held", "test", "test.every", "test.tail",
}

// incomparable returns why the published numbers must not stand beside a run;
// nil when they may. On other data there is nothing more to say. Done must be set.
func incomparable(r *Result, state runs.State) []Note {
	c := &r.Config
	if c.Published == nil {
		return []Note{{Kind: Missing}}
	}
	var notes []Note
	if !FullIMDB(c) {
		return []Note{{OtherData, "not the full IMDB as published (25 000 + 25 000 reviews), of which the published numbers speak"}}
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

// asPlanned reports whether the run has all the epochs that its experiment plans,
// rather than those that its user asked for.
func (r *Result) asPlanned() bool {
	byUser := slices.ContainsFunc(r.Config.Given(), func(s runs.Value) bool { return s.Key == "epochs" })
	return r.Done == r.Config.Epochs() && !byUser
}

// abridged returns what an experiment itself leaves out of the published training,
// so that a laptop can follow. The published numbers stand beside it all the same.
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
		notes = append(notes, Note{Damaged, s.Message + "; exp doctor says what mends it"})
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
