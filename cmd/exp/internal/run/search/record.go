package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/search"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/term"
)

// record is the folder of a search in RUNS/.search: search.txt has its command and trials.tsv the table
// of its trials, for people and other programs. A search that continues reads only the run folders.
type record struct {
	dir  fsx.Dir
	keys []string // sampled settings
}

const (
	searchFolder = ".search"
	searchFile   = "search.txt"
	trialsFile   = "trials.tsv"
)

// newRecord names the folder by the digest of the arguments that decide the trials, without their
// number: a search with more trials continues in the same folder.
func newRecord(runs string, s *search.Search, words []string) (*record, error) {
	sorted := slices.Sorted(slices.Values(words))
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q seed %d halving %d", sorted, s.Seed, s.Halving)))
	r := &record{dir: fsx.In(runs, searchFolder, hex.EncodeToString(sum[:6]))}
	for _, k := range s.Ranges {
		r.keys = append(r.keys, k.Key)
	}
	if err := r.dir.Make(); err != nil {
		return nil, err
	}
	command := []string{"run", "--search", random, "--trials", fmt.Sprint(s.Trials), "--search-seed", fmt.Sprint(s.Seed)}
	if s.Halving > 0 {
		command = append(command, fmt.Sprintf("--halving=%d", s.Halving))
	}
	return r, r.dir.WriteBytes(searchFile, []byte(cli.CommandLine(append(command, words...)...)+"\n"))
}

// write writes the table of all trials so far.
func (r *record) write(list []search.Standing) error {
	var out strings.Builder
	t := newTable(r.keys)
	for i, st := range list {
		t.Add(row(i, st)...)
	}
	if err := t.Print(term.New(&out, &out, 0, false)); err != nil {
		return err
	}
	return r.dir.WriteBytes(trialsFile, []byte(out.String()))
}

// shownTrials is the number of trials that are shown at the end of a search.
const shownTrials = 10

// table shows the best trials.
func (s *searching) table(list []search.Standing) error {
	t := newTable(s.record.keys)
	for i, st := range list[:min(shownTrials, len(list))] {
		t.Add(row(i, st)...)
	}
	return t.Text(s.IO, "")
}

// newTable returns a table with a column for each sampled setting.
func newTable(keys []string) *term.Table {
	columns := []term.Column{{Head: "rank", Right: true}, {Head: "trial", Right: true, Optional: 3}, {Head: "epochs", Right: true, Optional: 2},
		{Head: "valid %", Right: true}, {Head: "loss", Right: true, Optional: 4}, {Head: "at", Right: true, Optional: 5}}
	for _, k := range keys {
		columns = append(columns, term.Column{Head: k, Right: true})
	}
	return term.NewTable(append(columns, term.Column{Head: "run"})...)
}

func row(i int, st search.Standing) []string {
	row := []string{fmt.Sprint(i + 1), fmt.Sprint(st.Trial.N), fmt.Sprint(st.Epochs)}
	run := ""
	if st.Err != nil {
		row = append(row, "–", "–", "–")
		run = "failed: " + st.Err.Error()
		if d, ok := errors.AsType[*training.DivergedError](st.Err); ok {
			run = d.Message
		}
	} else {
		row = append(row, format.Optional(st.Chosen.ValidAcc, 2), format.Optional(st.Chosen.ValidLoss, 4), fmt.Sprint(st.Chosen.Epoch))
		run = st.Run.Label()
	}
	for _, a := range st.Trial.Assignments {
		_, value, _ := strings.Cut(a, "=")
		row = append(row, value)
	}
	return append(row, run)
}

func isStopped(err error) bool { return errors.Is(err, context.Canceled) }
