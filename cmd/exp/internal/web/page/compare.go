package page

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/runs"
)

// Detail is what the page shows of a chosen run: its curves, and its column in the comparison.
type Detail struct {
	Metrics []runs.Metrics `json:"metrics"` // of all epochs
	Places  []string       `json:"places"`  // attentions with histograms: layers and heads, or "" for the only one
	Column  Column         `json:"column"`
}

// Column is a run in the comparison.
type Column struct {
	Head     string    `json:"head"`
	Results  []Value   `json:"results"`  // of the epoch that counts: of all runs the same, in the same order
	Settings []Setting `json:"settings"` // and other facts, of which the page shows those that differ
	Notes    []string  `json:"notes"`    // what a reader has to know
}

// Value is a result; its text is empty if the run has none.
type Value struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Setting is a setting of a run, and who set it; "" for the default.
type Setting struct {
	Value
	From string `json:"from"`
}

// DetailOf reads a run. Damage of its files is in the notes.
func DetailOf(run *runs.Run) *Detail {
	d := &Detail{Metrics: []runs.Metrics{}}
	metrics, _ := run.Metrics() // the report's notes name the damage
	d.Metrics = append(d.Metrics, metrics...)
	histograms, err := run.Entropies()
	d.Places = places(histograms)
	r := report.ReadAll([]*runs.Run{run})[0] // as in reports, so that intervals and comparability are the same
	d.Column = Column{Head: Name(&run.Config), Results: results(r), Settings: settingsOf(&run.Config), Notes: []string{}}
	for _, n := range slices.Concat(r.Notes, r.Incomparable) {
		d.Column.Notes = append(d.Column.Notes, within(run.Path, n.String()))
	}
	if err != nil {
		d.Column.Notes = append(d.Column.Notes, within(run.Path, err.Error()))
	}
	return d
}

// within takes the path of the runs folder out of a message about a run.
func within(path, message string) string {
	return strings.ReplaceAll(message, filepath.Dir(filepath.Dir(path))+string(filepath.Separator), "")
}

// Name returns a run's name with as much of its ID as the command line needs.
func Name(c *runs.Config) string { return c.Name + " " + c.ShortID() }

// number formats a number, "" for nil.
func number(v *float64, decimals int) string {
	if text := format.Optional(v, decimals); text != format.None {
		return text
	}
	return ""
}

// results returns the results of a run in the comparison: of all runs the same, in the same order.
func results(r *report.Result) []Value {
	var out []Value
	put := func(name, text string) { out = append(out, Value{name, text}) }
	units := map[string]string{"percent": " (%)", "nats": " (nats)"}
	for _, m := range runs.AllMetrics() {
		if m.Title == "" {
			continue
		}
		text := number(m.Of(r.Chosen), m.Decimals)
		if !strings.Contains(m.Title, "accuracy") {
			put(m.Title+units[m.Unit], text)
			continue
		}
		for _, t := range []*runs.Task{runs.Reviews, runs.Pairs} { // which call it otherwise
			own := ""
			if r.Config.Task() == t {
				own = text
			}
			put(strings.Replace(m.Title, "accuracy", t.Accuracy, 1)+units[m.Unit], own)
		}
	}
	interval, published, epoch, cited := "", "", "", ""
	if !math.IsNaN(r.Wilson.Low) {
		interval = fmt.Sprintf("%.1f–%.1f", r.Wilson.Low, r.Wilson.High)
	}
	if p := r.Config.Published; r.Comparable() && p != nil && p.TestAcc != 0 {
		published = number(&p.TestAcc, 2)
	}
	if r.Chosen.Epoch > 0 {
		epoch = fmt.Sprintf("%d of %d", r.Chosen.Epoch, r.Config.Epochs())
	}
	if c, err := r.Run.Citation(); err == nil { // else it is unfinished, or a note names what is wrong
		cited = c.String()
	}
	put("95 % Wilson interval", interval)
	put("Published (%)", published)
	put("Macro-F1 (%)", number(&r.MacroF1, 2))
	put("Epoch that counts", epoch)
	put("Citation", cited)
	return out
}

// settingsOf returns the settings of a run, and other facts by which runs differ.
func settingsOf(c *runs.Config) []Setting {
	fact := func(name, text string) Setting { return Setting{Value: Value{name, text}} }
	out := []Setting{fact("experiment", c.Name), fact("model", c.Model)}
	for _, s := range c.Settings {
		out = append(out, Setting{Value{s.Key, s.Value}, c.From[s.Key]})
	}
	digest := c.Digests["data"]
	return append(out,
		fact("test reviews", fmt.Sprint(c.Data.Test.Reviews)),
		fact("data digest", digest[:min(12, len(digest))]),
		fact("classes", strings.Join(c.Classes, ", ")))
}

// Entropies are histograms of the entropy of one attention of a model.
type Entropies struct {
	Share      bool             `json:"share"`   // in shares of log n, not in nats
	Uniform    float64          `json:"uniform"` // entropy of uniform attention; 0: not marked, because padding takes part
	At         string           `json:"at"`      // the review length that Uniform is for, see report.Uniform
	Histograms []runs.Histogram `json:"histograms"`
}

// EntropiesOf returns the histograms of one attention of a run. What can be read is returned
// with an error.
func EntropiesOf(run *runs.Run, place string) (Entropies, error) {
	out := Entropies{Share: strings.HasSuffix(place, "of log n"), Uniform: 1, Histograms: []runs.Histogram{}}
	if !out.Share {
		u := report.UniformOf(run)
		out.Uniform, out.At = u.Nats, u.At
	}
	all, err := run.Entropies()
	for _, h := range all {
		if h.Where != place || len(h.Counts) == 0 {
			continue
		}
		n := len(h.Counts)
		for n > 1 && h.Counts[n-1] == 0 { // empty bins at the end need no room in a page
			n--
		}
		h.Counts = h.Counts[:n]
		out.Histograms = append(out.Histograms, h)
	}
	return out, err
}

// places returns the attentions that have histograms, in their order; "" is the only attention
// of a model.
func places(list []runs.Histogram) []string {
	out, seen := []string{}, map[string]bool{}
	for _, h := range list {
		if !seen[h.Where] {
			seen[h.Where] = true
			out = append(out, h.Where)
		}
	}
	return out
}
