package tables

import (
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs"
)

// Records returns a record per run: fixed columns, the settings that differ between runs
// ("setting.KEY"), and the notes. Numbers have all their digits; missing ones are empty.
func (r *Report) Records() term.Records {
	keys, none := r.differing(), new(runs.Metrics)
	zero := &report.Result{Chosen: none, Oracle: none, Run: new(runs.Run), Incomparable: make([]report.Note, 1)}
	head, _ := r.record(zero, new(Cell), keys)
	lines := term.Records{head}
	for _, b := range r.Blocks {
		for _, c := range b.All() {
			for _, run := range c.Runs {
				_, line := r.record(run, c, keys)
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// record returns the names of the columns of the CSV and the values of a run. The fixed ones are part of its format:
// new ones are added at their end, and metrics with a title come by themselves.
func (rep *Report) record(r *report.Result, cell *Cell, keys []string) (names, values []string) {
	c, whole, number := &r.Config, strconv.Itoa, format.Exact
	metric := func(key string) string { return number(r.Chosen.Get(key)) }
	judged := func(key string, v float64) string {
		if !r.Judged(key) {
			return ""
		}
		return number(v)
	}
	published, d := r.Published().Get("test_acc"), c.Data
	fixed := []string{
		"id", c.ID, "experiment", c.Name, "model", c.Model, "optimizer", r.Optimizer(), "variant", r.Variant(),
		"seed", strconv.FormatUint(c.Seed(), 10), "data", d.Name, "data_digest", c.Digests["data"], "data_limit", whole(c.General().Limit),
		"train_reviews", whole(d.Train.Reviews), "test_reviews_counted", whole(r.Counted()),
		"finished", strconv.FormatBool(r.Finished), "epochs_done", whole(r.Done), "epochs", whole(c.Epochs()), "epoch", whole(r.Chosen.Epoch),
		"test_acc", metric("test_acc"),
		"test_acc_wilson_low", judged("test_acc", r.Wilson.Low), "test_acc_wilson_high", judged("test_acc", r.Wilson.High),
		"published_test_acc", number(published), "difference_points", number(r.Chosen.Get("test_acc") - published),
		"train_acc", metric("train_acc"), "valid_acc", metric("valid_acc"),
		"train_loss", metric("train_loss"), "valid_loss", metric("valid_loss"), "test_loss", metric("test_loss"),
		"train_entropy", metric("train_entropy"), "test_entropy", metric("test_entropy"),
		"oracle_epoch", strings.TrimPrefix(whole(r.Oracle.Epoch), "0"), "oracle_test_acc", number(r.Oracle.Get("test_acc")),
		"result_version", whole(c.Result), "path", r.Path, "test_macro_f1", number(r.MacroF1), "test_looks", whole(r.Run.TestEvaluations()),
		"test_exact_match", metric("test_exact"), "test_bleu", metric("test_bleu"),
		"test_exact_match_wilson_low", judged("test_exact", r.Wilson.Low), "test_exact_match_wilson_high", judged("test_exact", r.Wilson.High),
	}
	for _, m := range runs.AllMetrics() {
		if m.Title != "" && !slices.Contains(fixed, m.Key) && !slices.Contains(fixed, m.Key+"_match") {
			fixed = append(fixed, m.Key, metric(m.Key))
		}
	}
	fixed = append(fixed, "tags", strings.Join(r.Remarks.Tags, " "), "note", r.Remarks.Note, "trial", strconv.FormatBool(r.Trial()))
	if rep.smooth > 0 {
		for _, key := range []string{"train_loss", "test_loss", "train_acc", "test_acc"} {
			fixed = append(fixed, "smoothed_"+key, number(r.Ends(key, rep.smooth).Smoothed))
		}
		fixed = append(fixed, "last_epochs_test_acc", number(r.Ends("test_acc", rep.smooth).Last))
	}
	for _, column := range rep.columns {
		fixed = append(fixed, column.Name, column.Of(r.Path))
	}
	for _, k := range keys {
		fixed = append(fixed, "setting."+k, c.Used(k))
	}
	notes := slices.DeleteFunc(slices.Clone(cell.Notes), func(n report.Note) bool { return n.Kind != report.Repeated && n.Kind != report.Looked })
	if r.Chance != nil {
		notes = append(notes, report.Note{Kind: report.Unlearned})
	}
	notes = slices.DeleteFunc(slices.Concat(notes, r.Notes, r.Incomparable), report.Note.Own) // which have columns
	return render.Record(append(fixed, "notes", report.JoinNotes(notes))...)
}

// differing returns the sorted settings that differ between any two runs and have no fixed
// column.
func (r *Report) differing() (keys []string) {
	all := r.Results()
	for _, run := range all {
		for _, s := range run.Config.Settings {
			keys = report.With(keys, s.Key)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(keys, func(k string) bool {
		return slices.Contains([]string{"seed", "variant", "optimizer", "data", "data.limit", "epochs"}, k) || !slices.ContainsFunc(all, func(o *report.Result) bool { return o.Config.Used(k) != all[0].Config.Used(k) })
	})
}
