package web

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/report"
	"imdbexp/runs"
)

// Column heads a column of the table of runs.
type Column struct {
	Key    string `json:"key"`
	Head   string `json:"head"`
	Title  string `json:"title"`  // what it is, with its unit
	Number bool   `json:"number"` // set flush right; the largest first when sorted by it first
	Wide   int    `json:"wide"`   // 0 stays on a phone, 3, 2 and 1 go as the page gets narrower
}

// columns of the table; the cells of each Row stand in this order.
var columns = []Column{
	{"name", "run", "experiment and beginning of its ID", false, 0},
	{"optimizer", "optimizer", "optimizer", false, 2},
	{"variant", "variant", "original: as it was published; code: as its published code ran", false, 1},
	{"set", "settings", "other settings given by the user", false, 1},
	{"seed", "seed", "seed", true, 2},
	{"data", "data", "data set", false, 2},
	{"state", "state", "state of the run", false, 1},
	{"epoch", "epochs", "whole epochs, of those asked for", true, 1},
	{"test_acc", "test acc.", "accuracy on test of the epoch that counts, %; of translations exact match", true, 0},
	{"train_acc", "train acc.", "accuracy on train of the same epoch, %; of translations next words right", true, 2},
	{"test_loss", "test loss", "mean cross-entropy on test, nats", true, 1},
	{"entropy", "entropy", "mean entropy of the attention on test, nats", true, 2},
	{"started", "started", "when the run was last started, UTC", false, 3},
}

// Row is one run in the table.
type Row struct {
	Key    string   `json:"key"` // NAME/ID, its folder
	State  string   `json:"state"`
	Epoch  int      `json:"epoch"` // whole epochs done
	Cells  []Cell   `json:"cells"` // one a column
	Notes  []string `json:"notes"` // what a reader has to know about its numbers
	Search string   `json:"search"`

	Translates bool `json:"translates"` // it cannot be asked about a review
}

// Cell is what stands in a column: its text, and what it is sorted by, a string,
// a float64, or nil where there is nothing.
type Cell struct {
	Text string `json:"text"`
	By   any    `json:"by"`
}

func words(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{s, s}
}

func number(v *float64, decimals int) Cell {
	if text := beside.Number(v, decimals); text != "" {
		return Cell{text, *v}
	}
	return Cell{Text: "–"}
}

// describe makes the row of an entry.
func (c *catalog) describe(e *entry) Row {
	r := Row{Key: e.key, State: "unreadable", Notes: []string{}}
	if e.err != nil {
		r.Notes = append(r.Notes, report.Note{Kind: report.Damaged, Text: c.public(e.err.Error())}.String())
	}
	if e.run == nil {
		r.Cells = make([]Cell, len(columns))
		r.Cells[column("name")], r.Cells[column("state")] = words(e.key), words(r.State)
	} else {
		r.State = e.run.Status.State.String()
		if e.training {
			r.State = string(runs.Training)
		}
		r.Epoch, r.Translates = e.done(), len(e.run.Config.Task().Decoded) > 0
		r.Notes = append(r.Notes, c.remarks(e)...)
		r.Cells = e.cells(r.State)
	}
	parts := []string{e.key}
	for _, cell := range r.Cells {
		parts = append(parts, cell.Text)
	}
	r.Search = strings.ToLower(strings.Join(append(parts, r.Notes...), " "))
	return r
}

func (e *entry) cells(state string) []Cell {
	cfg := &e.run.Config
	g, chosen := cfg.General(), e.chosen()
	started := ""
	if t := e.run.Time(); !t.IsZero() {
		started = t.UTC().Format("2006-01-02 15:04")
	}
	variant := cfg.Variant
	if variant == "" {
		variant = "default"
	}
	done := e.done()
	epochs := Cell{fmt.Sprintf("%d/%d", done, g.Epochs), float64(done)}
	if e.run.Converged() {
		epochs.Text = fmt.Sprint(done)
	}
	return []Cell{
		words(beside.Name(cfg)), words(cfg.Optimizer()), words(variant), words(given(cfg)), {strconv.FormatUint(g.Seed, 10), float64(g.Seed)},
		words(cfg.Data.Name), words(state), epochs, number(cfg.Task().Score.Of(&chosen), 2), number(chosen.TrainAcc, 2),
		number(chosen.TestLoss, 3), number(chosen.TestEntropy, 2), words(started),
	}
}

// chosen returns the metrics of the epoch that counts: of a run that cannot tell,
// the last; none before the first, nor where there may have been others.
func (e *entry) chosen() runs.Metrics {
	m := e.ends.Chosen
	if m == nil && e.err == nil {
		m = e.ends.Last
	}
	if m == nil {
		return runs.Metrics{}
	}
	return *m
}

// done returns how many whole epochs of it there are results of.
func (e *entry) done() int {
	if e.ends.Last == nil {
		return 0
	}
	return e.ends.Last.Epoch
}

// given returns the settings that the user gave beside those with columns of
// their own.
func given(c *runs.Config) string {
	var out []string
	for _, s := range c.Given() {
		if !slices.Contains([]string{"optimizer", "variant", "seed", "data"}, s.Key) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return strings.Join(out, " ")
}

// remarks returns what is to be said about a run that can be read.
func (c *catalog) remarks(e *entry) []string {
	r := e.run
	var out []string
	add := func(k report.Kind, text string) {
		out = append(out, report.Note{Kind: k, Text: c.public(text)}.String())
	}
	kind := report.Unfinished
	if e.training {
		kind = report.Training
	}
	switch s := r.Status; s.State {
	case runs.Created:
		add(kind, "no epoch yet")
	case runs.Unfinished:
		noun := "epochs"
		if s.Epochs == 1 {
			noun = "epoch"
		}
		add(kind, fmt.Sprintf("%d of %d %s", s.Epoch, s.Epochs, noun))
	case runs.Diverged:
		add(report.Diverged, s.Reason())
	case runs.Damaged:
		if e.err != nil && e.err.Error() == s.Message { // told below
			break
		}
		add(report.Damaged, s.Message)
	}
	if note, older := report.OlderNote(&r.Config); older {
		add(note.Kind, note.Text)
	}
	return out
}

// public takes the folder of runs out of a message: what lies above it is
// nobody's business.
func (c *catalog) public(message string) string {
	message = strings.ReplaceAll(message, c.dir+string(filepath.Separator), "")
	return strings.ReplaceAll(message, c.dir, "the folder of runs")
}
