package page

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imdbexp/experiments"
	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
)

// columns of the table of runs; the cells of each Row are in this order. Width is the page width
// that a column needs: 0 is shown on a phone, 3 only on a large screen.
var columns = []struct {
	Key    string `json:"key"`
	Head   string `json:"head"`
	Title  string `json:"title"`  // what it is, with its unit
	Number bool   `json:"number"` // right-aligned; sorted by the largest first
	Width  int    `json:"width"`
	Digits int    `json:"digits"` // decimals of results, which are averaged over seeds
}{
	{"name", "run", "experiment and the beginning of its ID, or the setting of several seeds", false, 0, 0},
	{"optimizer", "optimizer", "optimizer", false, 2, 0},
	{"variant", "variant", "default, original or code", false, 1, 0},
	{"set", "settings", "other settings given by the user", false, 1, 0},
	{"seed", "seed", "seed, or the number of seeds or trials", true, 2, 0},
	{"data", "data", "data set", false, 2, 0},
	{"state", "state", "state of the run", false, 1, 0},
	{"epoch", "epochs", "whole epochs, of those requested", true, 1, 0},
	{"test_acc", "test %", "test accuracy of the chosen epoch, in percent; for translations, exact match", true, 0, 2},
	{"valid_acc", "valid %", "validation accuracy of the same epoch, in percent", true, 2, 2},
	{"train_acc", "train %", "train accuracy of the same epoch, in percent; for translations, of the next words", true, 2, 2},
	{"test_loss", "test loss", "mean cross-entropy on the test set, in nats", true, 1, 3},
	{"entropy", "entropy", "mean entropy of the attention on the test set, in nats", true, 2, 2},
	{"started", "started", "when the run was last started, UTC", false, 3, 0},
}

// Indices of columns.
const (
	seedColumn  = 4
	stateColumn = 6
	epochColumn = 7
)

// Row is a run in the table, the runs of a setting that differ in seeds only, or the trials of a search.
type Row struct {
	Key      string   `json:"key"`   // NAME/ID, its folder; NAME/seeds-DIGEST for several runs, NAME/trials-DIGEST for trials
	Label    string   `json:"label"` // short and unique
	Runs     []string `json:"runs"`  // keys of several runs, by seed, or of trials; null for one run
	Asked    string   `json:"asked"` // key of the run that predicts texts and has the entropies
	Name     string   `json:"name"`  // its experiment
	Shows    string   `json:"shows"`
	Settings string   `json:"settings"` // in words
	State    string   `json:"state"`
	Epoch    int      `json:"epoch"` // whole epochs done
	Cells    []Cell   `json:"cells"` // one a column
	Notes    []string `json:"notes"` // limits of its numbers

	Model      string   `json:"model"`
	Data       string   `json:"data"`
	Score      *float64 `json:"score"` // on the test set, in percent
	Attends    bool     `json:"attends"`
	Translates bool     `json:"translates"` // so it predicts no classes

	chosen runs.Metrics // of the chosen epoch, or of the last if none is chosen yet
}

// Cell is the text of a column and its sort key: a string, a float64, or nil for an empty cell.
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

func numeric(v *float64, decimals int) Cell {
	c := Cell{Text: format.Optional(v, decimals)}
	if c.Text != format.None {
		c.By = *v
	}
	return c
}

// rowOf describes the run in the folder path. run is nil if it cannot be read; err is then the
// reason, else the damage, if any.
func rowOf(path string, run *runs.Run, err error) Row {
	key := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
	r := Row{Key: key, Label: key, Asked: key, State: "unreadable", Notes: []string{}}
	note := func(k report.Kind, text string) {
		r.Notes = append(r.Notes, report.Note{Kind: k, Text: within(path, text)}.String())
	}
	if run == nil {
		r.Cells = make([]Cell, len(columns))
		r.Cells[0], r.Cells[stateColumn] = words(key), words(r.State)
		note(report.Damaged, err.Error())
		return r
	}
	ends, damage := run.Ends()
	if err == nil {
		err = damage
	}
	if err != nil {
		note(report.Damaged, err.Error())
	}
	_, remarks := report.RemarksOf(run)
	for _, n := range remarks {
		note(n.Kind, n.Text)
	}
	c := &run.Config
	r.Label, r.Name, r.Model, r.Data, r.Translates = c.Name+" "+c.ShortID(), c.Name, c.Model, c.Data.Name, len(c.Task().Decoded) > 0
	if e, err := experiments.Lookup(c.Name); err == nil {
		r.Shows = e.Shows
	}
	r.State = run.Status.State.String()
	training := run.Present().State == runs.Training
	if training {
		r.State = string(runs.Training)
	}
	if ends.Last != nil {
		r.Epoch = ends.Last.Epoch
	}
	switch {
	case ends.Chosen != nil:
		r.chosen = *ends.Chosen
	case ends.Last != nil && err == nil:
		r.chosen = *ends.Last
	}
	r.Score, r.Attends = c.Task().Score.Of(&r.chosen), r.chosen.TestEntropy != nil
	r.cells(run)
	r.remark(run, err, training, note)
	return r
}

func (r *Row) cells(run *runs.Run) {
	c := &run.Config
	g := c.General()
	started := ""
	if t := run.Time(); !t.IsZero() {
		started = t.UTC().Format("2006-01-02 15:04")
	}
	variant := c.Variant
	if variant == "" {
		variant = "default"
	}
	var given []string // settings without a column of their own
	for _, s := range c.Given() {
		if !slices.Contains([]string{"optimizer", "variant", "seed", "data"}, s.Key) {
			given = append(given, s.Key+"="+s.Value)
		}
	}
	set := strings.Join(given, " ")
	epochs := Cell{fmt.Sprintf("%d/%d", r.Epoch, g.Epochs), float64(r.Epoch)}
	if run.Converged() {
		epochs.Text = fmt.Sprint(r.Epoch)
	}
	seed := strconv.FormatUint(g.Seed, 10)
	parts := append([]string{c.Optimizer()}, given...)
	if variant != "default" {
		parts = append(parts, "variant="+variant)
	}
	r.Settings = strings.Join(append(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "seed "+seed, c.Data.Name), ", ")
	r.Cells = []Cell{
		words(r.Label), words(c.Optimizer()), words(variant), words(set), {seed, float64(g.Seed)}, words(c.Data.Name), words(r.State), epochs,
		numeric(r.Score, 2), numeric(r.chosen.ValidAcc, 2), numeric(r.chosen.TrainAcc, 2), numeric(r.chosen.TestLoss, 3), numeric(r.chosen.TestEntropy, 2), words(started),
	}
}

// remark notes the state of a readable run; damage is noted already.
func (r *Row) remark(run *runs.Run, damage error, training bool, note func(report.Kind, string)) {
	kind := report.Unfinished
	if training {
		kind = report.Training
	}
	switch s := run.Status; s.State {
	case runs.Created:
		note(kind, "no epoch yet")
	case runs.Unfinished:
		note(kind, fmt.Sprintf("%d of %s", s.Epoch, format.Counted(s.Epochs, "epoch")))
	case runs.Diverged:
		note(report.Diverged, s.Reason())
	case runs.Damaged:
		if damage == nil || damage.Error() != s.Message {
			note(report.Damaged, s.Message)
		}
	}
	if n, older := report.OlderNote(&run.Config); older {
		note(n.Kind, n.Text)
	}
}
