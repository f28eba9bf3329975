package tables

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// csvPrefix begins the names of columns of settings in the CSV.
const csvPrefix = "setting."

// field is one column of the CSV.
type field struct {
	name string
	of   func(*report.Result) string
}

func numberField(name string, of func(*report.Result) float64) field {
	return field{name, func(r *report.Result) string { return format.Exact(of(r)) }}
}

func metricField(key string) field {
	return numberField(key, func(r *report.Result) float64 { return r.Chosen.Get(key) })
}

// fields are the fixed columns of the CSV. They are part of its format: new ones are added at the
// end, and metrics with a title come by themselves.
var fields = append(withMetrics([]field{
	{"id", func(r *report.Result) string { return r.Config.ID }},
	{"experiment", func(r *report.Result) string { return r.Config.Name }},
	{"model", func(r *report.Result) string { return r.Config.Model }},
	{"optimizer", (*report.Result).Optimizer},
	{"variant", (*report.Result).Variant},
	{"seed", func(r *report.Result) string { return strconv.FormatUint(r.Config.Seed(), 10) }},
	{"data", func(r *report.Result) string { return r.Config.Data.Name }},
	{"data_digest", func(r *report.Result) string { return r.Config.Digests["data"] }},
	{"data_limit", func(r *report.Result) string { return strconv.Itoa(r.Config.General().Limit) }},
	{"train_reviews", func(r *report.Result) string { return strconv.Itoa(r.Config.Data.Train.Reviews) }},
	{"test_reviews_counted", func(r *report.Result) string { return strconv.Itoa(r.Counted()) }},
	{"finished", func(r *report.Result) string { return strconv.FormatBool(r.Finished) }},
	{"epochs_done", func(r *report.Result) string { return strconv.Itoa(r.Done) }},
	{"epochs", func(r *report.Result) string { return strconv.Itoa(r.Config.Epochs()) }},
	{"epoch", func(r *report.Result) string { return strconv.Itoa(r.Chosen.Epoch) }},
	metricField("test_acc"),
	numberField("test_acc_wilson_low", func(r *report.Result) float64 { return only(r.Judged("test_acc"), r.Wilson.Low) }),
	numberField("test_acc_wilson_high", func(r *report.Result) float64 { return only(r.Judged("test_acc"), r.Wilson.High) }),
	numberField("published_test_acc", func(r *report.Result) float64 { return r.Published().Get("test_acc") }),
	numberField("difference_points", func(r *report.Result) float64 { return r.Chosen.Get("test_acc") - r.Published().Get("test_acc") }),
	metricField("train_acc"),
	metricField("valid_acc"),
	metricField("train_loss"),
	metricField("valid_loss"),
	metricField("test_loss"),
	metricField("train_entropy"),
	metricField("test_entropy"),
	{"oracle_epoch", func(r *report.Result) string {
		if r.Oracle.Epoch == 0 {
			return ""
		}
		return strconv.Itoa(r.Oracle.Epoch)
	}},
	numberField("oracle_test_acc", func(r *report.Result) float64 { return r.Oracle.Get("test_acc") }),
	{"result_version", func(r *report.Result) string { return strconv.Itoa(r.Config.Result) }},
	{"path", func(r *report.Result) string { return r.Path }},
	numberField("test_macro_f1", func(r *report.Result) float64 { return r.MacroF1 }),
	{"test_looks", func(r *report.Result) string { return strconv.Itoa(r.Run.TestEvaluations()) }},
	numberField("test_exact_match", func(r *report.Result) float64 { return r.Chosen.Get("test_exact") }),
	metricField("test_bleu"),
	numberField("test_exact_match_wilson_low", func(r *report.Result) float64 { return only(r.Judged("test_exact"), r.Wilson.Low) }),
	numberField("test_exact_match_wilson_high", func(r *report.Result) float64 { return only(r.Judged("test_exact"), r.Wilson.High) }),
}), field{"tags", func(r *report.Result) string { return strings.Join(r.Remarks.Tags, " ") }}, field{"note", func(r *report.Result) string { return r.Remarks.Note }},
	field{"trial", func(r *report.Result) string { return strconv.FormatBool(r.Trial()) }})

// withMetrics adds a column for each metric with a title that has none yet.
func withMetrics(fields []field) []field {
	for _, m := range runs.AllMetrics() {
		there := slices.ContainsFunc(fields, func(f field) bool { return f.name == m.Key || f.name == m.Key+"_match" })
		if m.Title != "" && !there {
			fields = append(fields, metricField(m.Key))
		}
	}
	return fields
}

// only returns v if it applies, otherwise NaN.
func only(applies bool, v float64) float64 {
	if !applies {
		return math.NaN()
	}
	return v
}

// Records returns a record per run: fixed columns, the settings that differ between runs
// ("setting.KEY"), and the notes. Numbers have all their digits; missing ones are empty.
func (r *Report) Records() term.Records {
	var head []string
	fields := slices.Concat(fields, smoothedFields(r.smooth))
	for _, c := range r.columns {
		fields = append(fields, field{c.Name, func(r *report.Result) string { return c.Of(r.Path) }})
	}
	for _, f := range fields {
		head = append(head, f.name)
	}
	keys := r.differing()
	for _, k := range keys {
		head = append(head, csvPrefix+k)
	}
	lines := term.Records{append(head, "notes")}
	for _, b := range r.Blocks {
		for _, c := range b.All() {
			for _, run := range c.Runs {
				lines = append(lines, csvLine(run, c, fields, keys))
			}
		}
	}
	return lines
}

func csvLine(r *report.Result, c *Cell, fields []field, keys []string) []string {
	var line []string
	for _, f := range fields {
		line = append(line, f.of(r))
	}
	for _, k := range keys {
		line = append(line, r.Config.Used(k))
	}
	var notes []report.Note
	for _, n := range c.Notes { // notes of the cell; the notes of its runs follow
		if n.Kind == report.Repeated || n.Kind == report.Looked {
			notes = append(notes, n)
		}
	}
	if r.Chance != nil {
		notes = append(notes, report.Note{Kind: report.Unlearned})
	}
	notes = slices.DeleteFunc(slices.Concat(notes, r.Notes, r.Incomparable), report.Note.Own) // which have columns
	return append(line, report.JoinNotes(notes))
}

// differing returns the sorted settings that differ between any two runs and have no fixed
// column.
func (r *Report) differing() []string {
	values := map[string]map[string]bool{}
	all := r.Results()
	for _, run := range all {
		for _, s := range run.Config.Settings {
			values[s.Key] = map[string]bool{}
		}
	}
	for _, run := range all { // "" for a setting that only some models have
		for k, v := range values {
			v[run.Config.Used(k)] = true
		}
	}
	own := []string{"seed", "variant", "optimizer", "data", "data.limit", "epochs"}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(k string) bool {
		return len(values[k]) < 2 || slices.Contains(own, k)
	})
}
