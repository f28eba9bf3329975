package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

const (
	minTrials   = 4 // of a figure
	telling     = 8 // fewer trials say nothing about a setting
	searchParts = 4 // at most, of the values of a number
	partTrials  = 4 // at least, of such a part
	significant = 0.05
)

// searched is a setting that differs between trials.
type searched struct {
	key   string
	at    []float64 // of each trial: its value, or its place among words
	words []string  // in order; nil for a number
	parts [][]int   // trials with the same or similar values
	drawn bool      // from an interval: nearly every trial has a value of its own
	share float64   // of the variance of their ranks that lies between the parts; see stats.Kruskal
	p     float64   // adjusted for the number of settings
}

// Searches returns a figure for the trials of each search, with a panel for each setting, that which explains most first.
func Searches(list []*runs.Run, order ...string) []canvas.Figure {
	return searches(Smoothed(0).drawings(list, order...))
}

func searches(all []*drawing) (out []canvas.Figure) {
	type search struct{ name, variant string }
	names := map[string]int{}
	for _, b := range tables.Blocks(resultsOf(all)) {
		for _, list := range report.GroupBy(b.Trials, func(t tables.Trials) search { return search{t.Name, t.Variant} }) {
			cells := slices.Concat(report.Map(list, func(t tables.Trials) []*tables.Cell { return t.Cells })...)
			if f, ok := searchFigure(list[0].Name, cells); ok {
				f.Name = "search-" + numberedName(names, list[0].Name+"-"+list[0].Variant)
				out = append(out, f)
			}
		}
	}
	return out
}

// differing returns the settings of the user in which trials differ, in order of declaration.
func differing(cells []*tables.Cell) []string {
	given := map[string]bool{}
	trials := report.Map(cells, func(c *tables.Cell) *report.Result {
		for _, s := range c.Runs[0].Config.Given() {
			given[s.Key] = true
		}
		return c.Runs[0]
	})
	keys := report.Differing(trials, "seed", "epochs", runs.TestSeedKey)
	return report.Filter(keys, func(key string) bool { return given[key] })
}

// sameEpochs returns the trials that had the same number of epochs: of a search by halving those of its first rung. In
// other searches epochs are a setting.
func sameEpochs(cells []*tables.Cell, keys []string) ([]*tables.Cell, []string) {
	settings := report.GroupBy(cells, func(c *tables.Cell) string {
		return strings.Join(report.Map(keys, c.Runs[0].Config.Setting), "\n")
	})
	rungs := report.GroupBy(cells, func(c *tables.Cell) int { return c.Runs[0].Config.Epochs() })
	if len(rungs) > 1 && len(settings) == len(cells) { // none was trained on
		return cells, append([]string{"epochs"}, keys...)
	}
	return slices.MaxFunc(rungs, func(a, b []*tables.Cell) int { return len(a) - len(b) }), keys
}

// searchFigure draws the trials of an experiment; false if there are too few, or nothing differs.
func searchFigure(name string, all []*tables.Cell) (f canvas.Figure, ok bool) {
	by := all[0].Runs[0].Config.ScoredBy(all[0].Runs[0].Chosen)
	cells := report.Filter(all, func(c *tables.Cell) bool { return c.Runs[0].Finished && c.Stat(by.Key).N > 0 })
	if len(cells) == 0 {
		return f, false
	}
	cells, keys := sameEpochs(cells, differing(cells))
	if len(cells) < minTrials {
		return f, false
	}
	scores, best := make([]float64, len(cells)), 0
	for i, c := range cells {
		scores[i] = c.Stat(by.Key).Mean
		if by.Key == "valid_loss" && scores[i] < scores[best] || by.Key != "valid_loss" && scores[i] > scores[best] {
			best = i
		}
	}
	list := searchedOf(keys, cells, scores)
	if len(list) == 0 {
		return f, false
	}
	var panels []chart.LinePanel
	up, columns := chart.None, min(3, len(list))
	for i, s := range list {
		p := s.panel(by, scores, best, columns)
		if i%columns > 0 {
			p.Y = "" // the axis is that of the first
		}
		_, own := p.Extent()
		panels, up = append(panels, p), up.With(own.Low, own.High)
	}
	for i := range panels {
		panels[i].YEnds = panels[i].Scale.Axis(up)
	}
	f = canvas.Figure{Title: fmt.Sprintf("Search of %s: %s", name, verdict(list, len(cells))), Columns: columns, Panels: canvas.Panels(panels)}
	f.Size = rowsOf((len(panels)+f.Columns-1)/f.Columns, 5.2, 2.2)
	f.Legend = []canvas.LegendEntry{{Name: "trial", Line: trialLine, Dot: true}, {Name: "best", Line: bestLine, Dot: true}}
	shown := report.Map(cells, func(c *tables.Cell) *report.Result { return c.Runs[0] })
	f.Runs = report.Map(shown, cited)
	f.Caption = parts(shown, "training", "validation") + " · " + format.Counted(len(cells), "finished trial")
	if !slices.Contains(keys, "epochs") {
		f.Caption += " of " + format.Counted(cells[0].Runs[0].Config.Epochs(), "epoch")
	}
	if left := len(all) - len(cells); left > 0 {
		f.Caption += fmt.Sprintf(" · omitted: %s, unfinished or of another number of epochs", format.Counted(left, "trial"))
	}
	if len(cells) >= telling {
		f.Legend = append(f.Legend, canvas.LegendEntry{Name: "mean", Line: meanLine})
		f.Caption += " · bars: mean ± one standard deviation of the trials with similar values, in which other settings vary" +
			" · %: share of the variance of the trials' ranks that a setting explains (Kruskal–Wallis η²), p by permutation, adjusted by Holm's method"
	}
	return f, true
}

// verdict says what the trials say, in a few words.
func verdict(list []searched, trials int) string {
	if trials < telling {
		return fmt.Sprintf("%d trials are too few to say what mattered", trials)
	}
	var yes, no []string
	for _, s := range list {
		if s.p < significant {
			yes = append(yes, s.key)
		} else if !math.IsNaN(s.p) {
			no = append(no, s.key)
		}
	}
	if len(yes) == 0 {
		return "no setting has a clear effect"
	}
	text := strings.Join(yes, ", ") + " mattered"
	if len(no) > 0 {
		text += ", no clear effect of " + strings.Join(no, ", ")
	}
	return text
}

// searchedOf returns the settings in which the trials differ, those that explain most first.
func searchedOf(keys []string, cells []*tables.Cell, scores []float64) (out []searched) {
	var ps []float64
	for _, key := range keys {
		s := searched{key: key, p: math.NaN()}
		values := report.Map(cells, func(c *tables.Cell) string { return c.Runs[0].Config.Setting(key) })
		if s.place(values); slices.Min(s.at) == slices.Max(s.at) {
			continue
		}
		groups := report.Map(s.several(), func(part []int) []float64 { return at(scores, part) })
		if share, p, err := stats.Kruskal(groups); err == nil && len(cells) >= telling {
			s.share, s.p, ps = share, p, append(ps, p)
		}
		out = append(out, s)
	}
	adjusted := stats.Holm(ps)
	for i := range out {
		if !math.IsNaN(out[i].p) {
			out[i].p, adjusted = adjusted[0], adjusted[1:]
		}
	}
	slices.SortStableFunc(out, func(a, b searched) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.p, b.p)) })
	return out
}

// several returns the parts of more than one trial.
func (s *searched) several() [][]int {
	return report.Filter(s.parts, func(part []int) bool { return len(part) > 1 })
}

// at returns the numbers of some trials.
func at(list []float64, trials []int) []float64 {
	return report.Map(trials, func(i int) float64 { return list[i] })
}

// place fills in where the trials stand and which are similar: those of equal values, or, of a number with fewer than
// two trials a value or with many values, parts of about as many trials.
func (s *searched) place(values []string) {
	words := slices.Compact(slices.Sorted(slices.Values(values)))
	s.at = make([]float64, len(values))
	for i, v := range values {
		x, err := strconv.ParseFloat(v, 64)
		if s.at[i] = x; err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			s.words = words
		}
	}
	for i, v := range values {
		if s.words != nil {
			s.at[i] = float64(slices.Index(words, v))
		}
	}
	order := stats.Order(len(s.at), func(a, b int) int { return cmp.Compare(s.at[a], s.at[b]) })
	s.drawn = s.words == nil && (len(order) < 2*len(words) || len(words) > fewValues)
	parts := len(order) // equal values only
	if s.drawn {
		parts = min(searchParts, max(2, len(order)/partTrials))
	}
	stats.EqualParts(len(order), parts, func(i, j int) bool { return s.at[order[i]] == s.at[order[j]] }, func(from, to int) {
		if last := len(s.parts) - 1; s.drawn && last >= 0 && to-from == 1 { // equal values took the others
			s.parts[last] = append(s.parts[last], order[from])
			return
		}
		s.parts = append(s.parts, order[from:to])
	})
}

// panel shows the trials by the setting's value, and the mean of similar ones.
func (s *searched) panel(by runs.Metric, scores []float64, best, columns int) chart.LinePanel {
	title := s.key
	switch {
	case len(scores) < telling:
	case math.IsNaN(s.p):
		title += ": too few trials of each value"
	case s.p < 0.001:
		title += fmt.Sprintf(": %.0f %%, p < 0.001", 100*s.share)
	case s.p < significant:
		title += fmt.Sprintf(": %.0f %%, p = %.2g", 100*s.share, s.p)
	default:
		title += fmt.Sprintf(": not clear, p = %.2g", s.p)
	}
	p := chart.LinePanel{Title: title, X: s.key, Y: axisTitle(by.Title, by.Unit), Margin: margin, Scale: chart.LossScale(nil)}
	if by.Unit == "percent" {
		p.Scale = chart.AccuracyScale(nil)
	}
	low, high := slices.Min(s.at), slices.Max(s.at)
	if s.words == nil && low > 0 && high/low >= 8 {
		p.Log, p.X = true, p.X+" (logarithmic)"
		p.Ticks = chart.ThinTicks{Ticker: canvas.DecadeTicks{1, 3}, Columns: columns}
	}
	if ticks := valueTicks(s.at, p.Log, columns); ticks != nil && !s.drawn {
		p.Ticks = ticks
	}
	mean := chart.Curve{Line: meanLine, Bars: true, Shape: draw.BoxGlyph{}}
	for _, part := range s.several() {
		places := at(s.at, part)
		x := stats.Median(places)
		if slices.Min(places) == slices.Max(places) {
			const aside = 0.03 // of the axis: there a bar does not cover the dots at x
			if x += aside * (high - low); p.Log {
				x = stats.Median(places) * math.Pow(high/low, aside)
			}
		}
		mean.Points = append(mean.Points, meanPoint(x, at(scores, part)))
	}
	if s.words != nil {
		var ticks plot.ConstantTicks
		for i, w := range s.words {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: canvas.WithoutIDs(w)})
		}
		p.Ticks, mean.Loose = chart.ThinTicks{Ticker: ticks, Columns: columns}, true // words have no order, so no line joins them
	}
	if len(scores) >= telling {
		p.Curves = []chart.Curve{mean}
	}
	trials := chart.Curve{Line: trialLine, Loose: true}
	for i, x := range s.at {
		if i != best {
			trials.Points = append(trials.Points, lone(x, scores[i]))
		}
	}
	p.Curves = append(p.Curves, trials, chart.Curve{Line: bestLine, Loose: true, Points: []chart.Point{lone(s.at[best], scores[best])}})
	return p
}

var (
	trialLine = chart.Line(1, canvas.Faded(canvas.Faint, 0.56)) // they may lie on the mean
	bestLine  = chart.Line(1, canvas.Series[0])
	meanLine  = chart.Line(1.3, canvas.Series[1])
)
