package page

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Detail is what the page shows of a chosen entry: its curves, and its column in the comparison.
type Detail struct {
	Metrics []map[string]float64 `json:"metrics"` // of each epoch; for several runs their mean, of common epochs
	Spread  []map[string]float64 `json:"spread"`  // standard deviation over several runs
	Column  Column               `json:"column"`

	Entropies []*Entropies `json:"entropies"` // of each attention of a single run
}

// Column is an entry in the comparison.
type Column struct {
	Head     string    `json:"head"`
	Results  []Value   `json:"results"`  // of the chosen epoch
	Settings []Setting `json:"settings"` // and other facts, of which the page shows those that differ
	Notes    []string  `json:"notes"`    // limits of the results
}

// Value is a result.
type Value struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Setting is a setting of a run, and who set it; "" for the default.
type Setting struct {
	Value
	From string `json:"from"`
}

// detailOf reads the runs of an entry. Damage of their files is in the notes.
func detailOf(e *Entry) *Detail {
	d := &Detail{Entropies: []*Entropies{}}
	d.Metrics, d.Spread = curves(e.Runs)
	d.Column = Column{Head: e.Row.Label, Settings: settingsOf(e.Runs), Notes: []string{}}
	note := func(text string) { d.Column.Notes = append(d.Column.Notes, within(e.Runs[0].Path, text)) }
	for _, b := range tables.Blocks(report.ReadAll(e.Runs)) { // as in reports, so that intervals and comparability are the same
		for _, c := range b.All() {
			d.Column.Results = results(c)
			for _, n := range slices.Concat(c.Notes, c.Runs[0].Incomparable) {
				note(n.String())
			}
		}
	}
	if len(e.Runs) == 1 {
		var err error
		if d.Entropies, err = entropiesOf(e.Runs[0]); err != nil {
			note(err.Error())
		}
	}
	return d
}

// curves returns the metrics of all epochs, their mean over several runs, and their standard deviation.
func curves(list []*runs.Run) (metrics, spread []map[string]float64) {
	all := report.CommonEpochs(list)
	metrics, spread = []map[string]float64{}, []map[string]float64{}
	for i := range all[0] {
		mean, sd := map[string]float64{"epoch": float64(all[0][i].Epoch)}, map[string]float64{}
		for _, m := range runs.AllMetrics() {
			values := make([]float64, len(all))
			for k := range all {
				values[k] = all[k][i].Get(m.Key)
			}
			of := stats.Summarise(values)
			if of.N > 0 {
				mean[m.Key] = of.Mean
			}
			if of.N > 1 {
				sd[m.Key] = of.SD
			}
		}
		metrics, spread = append(metrics, mean), append(spread, sd)
	}
	return metrics, spread
}

// within removes the path of the runs folder from a message about a run.
func within(path, message string) string {
	return strings.ReplaceAll(message, filepath.Dir(filepath.Dir(path))+string(filepath.Separator), "")
}

// results returns the results of a setting in the comparison.
func results(c *tables.Cell) (out []Value) {
	put := func(name, text string) {
		if text != "" {
			out = append(out, Value{name, text})
		}
	}
	moments := func(name string, m stats.Moments, decimals int) {
		if m.N > 0 {
			put(name, spread(m, decimals))
		}
	}
	units := map[string]string{"percent": " (%)", "nats": " (nats)"}
	for _, m := range runs.AllMetrics() {
		if m.Title != "" {
			moments(strings.Replace(m.Title, "accuracy", c.Task().Accuracy, 1)+units[m.Unit], c.Stat(m.Key), m.Decimals)
		}
	}
	r := c.Runs[0]
	if i := c.Interval(); !math.IsNaN(i.Low) {
		put("95 % interval", fmt.Sprintf("%.1f–%.1f", i.Low, i.High))
	}
	if p := r.Config.Published; r.Comparable() && p != nil && p.TestAcc != 0 {
		put("Published (%)", format.Fixed(p.TestAcc, 2))
	}
	moments("Macro-F1 (%)", c.MacroF1(), 2)
	if r.Chosen.Epoch > 0 && len(c.Runs) == 1 {
		put("Chosen epoch", fmt.Sprintf("%d of %d", r.Chosen.Epoch, r.Config.Epochs()))
	}
	put("Citation", strings.ReplaceAll(report.Citations(c.Runs), " ", "\n"))
	return out
}

// settingsOf returns the settings of the runs, and other facts by which they differ from others.
func settingsOf(list []*runs.Run) []Setting {
	c := &list[0].Config
	fact := func(name, text string) Setting { return Setting{Value: Value{name, text}} }
	out := []Setting{fact("experiment", c.Name), fact("model", c.Model)}
	for _, s := range c.Settings {
		if !c.Uses(s.Key) {
			continue
		}
		values := []string{}
		for _, r := range list {
			if v := r.Config.Setting(s.Key); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		out = append(out, Setting{Value{s.Key, strings.Join(values, ", ")}, c.From[s.Key]})
	}
	digest := c.Digests["data"]
	return append(out,
		fact("test reviews", fmt.Sprint(c.Data.Test.Reviews)),
		fact("data digest", digest[:min(12, len(digest))]),
		fact("classes", strings.Join(c.Classes, ", ")))
}

// Entropies are histograms of the entropy of one attention of a model.
type Entropies struct {
	Place      string           `json:"place"`   // its layer and head; "" for the only one
	Share      bool             `json:"share"`   // in shares of log n, not in nats
	Uniform    float64          `json:"uniform"` // entropy of uniform attention; 0: not marked, because padding takes part
	At         string           `json:"at"`      // the review length that Uniform is for, see report.Uniform
	Histograms []runs.Histogram `json:"histograms"`
}

// entropiesOf returns the histograms of each attention of a run. With an error, it returns the
// readable ones.
func entropiesOf(run *runs.Run) ([]*Entropies, error) {
	out, at := []*Entropies{}, map[string]*Entropies{}
	all, err := run.Entropies()
	for _, h := range all {
		e := at[h.Where]
		if e == nil {
			e = &Entropies{Place: h.Where, Share: strings.HasSuffix(h.Where, "of log n"), Uniform: 1}
			if !e.Share {
				u := report.UniformOf(run)
				e.Uniform, e.At = u.Nats, u.At
			}
			at[h.Where], out = e, append(out, e)
		}
		n := len(h.Counts)
		for n > 1 && h.Counts[n-1] == 0 { // empty bins at the end need no room in a page
			n--
		}
		h.Counts = h.Counts[:n]
		e.Histograms = append(e.Histograms, h)
	}
	return out, err
}
