package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/dataset"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Confusions are the classes that runs confuse on their test sets, summed over the seeds of a
// setting.
type Confusions struct {
	render.View
	rows []*confusion
}

type confusion struct {
	data, label, variant string
	classes              []string
	counts               stats.Confusion
	precision            []float64 // average precision of each class, mean over the seeds
	seeds                int
}

// NewConfusions reads the predictions of the report's finished runs that classify.
func NewConfusions(r *Report) (*Confusions, error) {
	out := &Confusions{View: render.View{Message: r.Message}}
	for i := range r.Blocks {
		for label, cell := range r.Blocks[i].All() {
			c := &confusion{label: label, variant: cell.Variant}
			for _, run := range cell.Runs {
				if !run.Finished || run.Config.Untested() || run.Config.Task() != runs.Reviews {
					continue
				}
				p, err := run.Run.Predictions()
				if err != nil {
					return nil, err
				}
				c.data = run.Config.Data.Name
				c.add(p)
				if run.Config.Counts() && !cell.Divided() {
					break // the seed changes nothing: the other results are this one
				}
			}
			if c.seeds > 0 {
				out.rows, out.Sections = append(out.rows, c), append(out.Sections, c.section())
			}
		}
	}
	if n := len(out.Sections); n > 0 { // the key once, at the end
		out.Sections[n-1].Keys = func([]string) string {
			return "as: the number of reviews predicted as the class. Precision: of the predictions of the class, the share that is right; recall: of its reviews, the share found; F1: their harmonic mean; in percent."
		}
	} else {
		out.Message = cmp.Or(out.Message, "no run with predictions of classes")
	}
	return out, nil
}

func (c *confusion) add(p *runs.Predictions) {
	n := len(p.Classes)
	if c.classes == nil {
		c.classes, c.counts, c.precision = p.Classes, stats.NewConfusion(n), make([]float64, n)
	}
	c.seeds++
	rows := report.Filter(p.Rows, func(r runs.Prediction) bool { return r.Label >= 0 })
	for i, row := range report.Confusion(p) {
		is, of, area := make([]bool, len(rows)), make([]float32, len(rows)), math.NaN()
		for k, r := range rows {
			is[k], of[k] = r.Label == i, r.P[i]
		}
		if slices.Contains(is, true) {
			area = stats.AUPRC(is, of)
		}
		c.precision[i] += (area - c.precision[i]) / float64(c.seeds)
		for k, reviews := range row {
			c.counts[i][k] += reviews
		}
	}
}

func (c *confusion) section() render.Section {
	columns := []term.Column{render.Words("label", 0)}
	columns = append(columns, report.Map(c.classes, func(name string) term.Column { return render.Numbers("as "+name, 0) })...)
	columns = append(columns, render.Numbers("precision", 2), render.Numbers("recall", 0), render.Numbers("F1", 0), render.Numbers("average precision", 1))
	t := render.NewTable("", columns...)
	for i, name := range c.classes {
		line := []string{name}
		line = append(line, report.Map(c.counts[i], format.Thousands)...)
		precision, recall, f1 := c.counts.Of(i)
		line = append(line, report.Map([]float64{precision, recall, f1, c.precision[i]}, func(x float64) string { return format.Fixed(100*x, 2) })...)
		t.Add(line...)
	}
	title := c.label
	if c.variant != "default" {
		title += ", " + c.variant
	}
	title = fmt.Sprintf("%s on %s: test reviews by label and predicted class", title, c.data)
	return render.Section{Title: title, Tables: []*term.Table{t}, Words: c.words()}
}

// words sums the table up in sentences.
func (c *confusion) words() (out []string) {
	labels, predicted, all := c.counts.Sums()
	percent := func(n int) string { return format.Fixed(100*(float64(n)/float64(all)), 2) }
	largest := slices.Index(labels, slices.Max(labels))
	out = append(out, fmt.Sprintf("Accuracy %s; always predicting %q, the largest class, would have %s.", percent(c.counts.Right()), c.classes[largest], percent(labels[largest])))
	if only := slices.Index(predicted, all); only >= 0 {
		out = append(out, fmt.Sprintf("The model predicts %q for every review.", c.classes[only]))
	}
	if c.seeds > 1 {
		out = append(out, fmt.Sprintf("Sums over %d runs.", c.seeds))
	}
	values := make([]float64, len(c.classes)) // of classes that are numbers, such as stars
	numbers := len(values) > 2
	for i, class := range c.classes {
		v, ok := dataset.LabelNumber(class)
		values[i], numbers = v, numbers && ok
	}
	if numbers {
		out = append(out, fmt.Sprintf("As numbers: mean absolute error %s, quadratic kappa %s.", format.Fixed(c.counts.MAE(values), 3), format.Fixed(c.counts.Kappa(values), 3)))
	}
	return out
}

// Records returns a record for each label and predicted class.
func (c *Confusions) Records() term.Records {
	out := term.Records{{"data", "experiment", "variant", "seeds", "label", "predicted", "reviews"}}
	for _, r := range c.rows {
		for i, label := range r.classes {
			for j, predicted := range r.classes {
				out = append(out, []string{r.data, r.label, r.variant, strconv.Itoa(r.seeds), label, predicted, strconv.Itoa(r.counts[i][j])})
			}
		}
	}
	return out
}
