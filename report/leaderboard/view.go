package leaderboard

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs/published"
)

// captions are the headings of the parts of a ranked block.
var captions = []string{"From the reviews of IMDB alone", "With data from outside", "Not ranked"}

// View returns what the leaderboard shows, for all formats.
func (b *Board) View() render.View {
	v := render.View{Empty: b.Empty(), LeftOut: b.LeftOut}
	for _, block := range b.Blocks {
		v.Sections = append(v.Sections, block.section())
	}
	return v
}

func (b *Block) section() render.Section {
	var notes render.Footnotes
	var tables []*render.Table
	for part, caption := range captions {
		rows := slices.DeleteFunc(slices.Clone(b.Rows), func(r Row) bool { return b.IMDB && r.Part != part || !b.IMDB && part > 0 })
		if len(rows) == 0 {
			continue
		}
		if !b.IMDB {
			caption = "Not ranked: " + captionElsewhere
		}
		tables = append(tables, table(caption, rows, &notes))
	}
	return render.Section{Title: b.Title, Tables: tables, Keys: b.keys, Notes: notes.List}
}

const captionElsewhere = "other reviews than IMDB's 25 000 of test"

func table(caption string, rows []Row, notes *render.Footnotes) *render.Table {
	t := &render.Table{Caption: caption, Captioned: true, Columns: []render.Column{
		{Head: "", Left: true, Keep: true}, {Head: "accuracy", Keep: true}, {Head: wilson, Level: 3}, {Head: "seeds", Level: 4},
		{Head: "dense weights", Level: 2}, {Head: "of these vectors", Level: 2}, {Head: "n-gram weights", Level: 2}, {Head: "train s", Level: 4}, {Head: "in all s", Level: 5},
		{Head: "learned from", Left: true, Level: 1}, {Head: "chosen on", Left: true}, {Head: "machine", Left: true, Level: 6}, {Head: "published in", Left: true, Level: 5},
		{Head: "runs", Left: true, Level: 7, Traces: true}, {Head: "cite as", Left: true, Level: 8, Cites: true},
	}}
	for i := range rows {
		r := &rows[i]
		name := render.Entry{Text: r.Name, Faint: r.Published != nil}
		if r.Rank > 0 {
			name.Text = fmt.Sprintf("%d. %s", r.Rank, r.Name)
		}
		if r.Published != nil {
			name.Text, name.More = name.Text+":", r.Published.Model
		}
		accuracy := render.Entry{Text: format.Fixed(r.Accuracy.Mean, 2), Marks: notes.Mark(r.Notes)}
		seeds := ""
		if len(r.Runs) > 0 {
			seeds = fmt.Sprint(len(r.Runs))
		}
		if r.Accuracy.N > 1 {
			accuracy.More = "± " + format.Fixed(r.Accuracy.SD, 2)
		}
		t.Add(name, accuracy, render.Entry{Text: between(r), Faint: true}, render.Entry{Text: seeds},
			count(r.Weights.Dense), count(r.Weights.Vectors), count(r.Weights.Sparse), seconds(r.Seconds), inAll(rows, r),
			render.Entry{Text: r.Seen.String()}, render.Entry{Text: r.chosen()}, render.Entry{Text: r.Machine, Faint: true}, render.Entry{Text: r.place()},
			render.Entry{Text: strings.Join(r.ids(), " "), Faint: true}, render.Entry{Text: strings.Join(r.citations(), " "), Faint: true})
	}
	return t.Filled()
}

// wilson heads the intervals.
const wilson = "95 % Wilson"

func between(r *Row) string {
	if math.IsNaN(r.Accuracy.Mean) {
		return format.None
	}
	return format.Fixed(r.Wilson.Low, 1) + "–" + format.Fixed(r.Wilson.High, 1)
}

// count is the entry of a number of weights, empty where there are none.
func count(n int) render.Entry {
	if n == 0 {
		return render.Entry{}
	}
	return render.Entry{Text: format.Thousands(n)}
}

// inAll is the entry of the seconds of a row's runs in all, empty where those of no row are known.
func inAll(rows []Row, r *Row) render.Entry {
	if r.Published == nil && math.IsNaN(r.Whole) && slices.ContainsFunc(rows, func(r Row) bool { return r.Whole > 0 }) {
		return render.Entry{Text: format.None}
	}
	return seconds(r.Whole)
}

func seconds(s float64) render.Entry {
	if math.IsNaN(s) {
		return render.Entry{}
	}
	if s < 9.95 {
		return render.Entry{Text: format.Fixed(s, 1)}
	}
	return render.Entry{Text: format.Thousands(int(math.Round(s)))}
}

// oracle reports whether the row speaks of one.
func (r Row) oracle() bool {
	return r.Chosen == published.Test || slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Kind == report.Oracle })
}

// chosen says by what the epoch was chosen. Test is called what it is.
func (r *Row) chosen() string {
	switch r.Chosen {
	case "":
		return "nothing"
	case published.Test:
		return "test (oracle)"
	}
	return r.Chosen
}

// place says where in its paper a published row stands.
func (r *Row) place() string {
	if r.Published == nil {
		return ""
	}
	return r.Published.Place
}

// ids names the runs behind the row.
func (r *Row) ids() (out []string) {
	for _, run := range r.Runs {
		out = append(out, format.Short(run.Config.ID))
	}
	return out
}

// citations are how to cite them.
func (r *Row) citations() (out []string) {
	for _, run := range r.Runs {
		if c, err := run.Run.Citation(); err == nil { // what cannot be read has a note
			out = append(out, c.String())
		}
	}
	return out
}

// keys explains the columns that are shown.
func (b *Block) keys(shown []string) string {
	has := func(head string) bool { return slices.Contains(shown, head) }
	out := []string{"Accuracies in percent"}
	for _, k := range []struct {
		used bool
		text string
	}{
		{has(wilson), wilson + " intervals over reviews"},
		{slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Accuracy.N > 1 }), "±: standard deviation over the seeds"},
		{has("of these vectors"), "vectors of words: trained with the model, or before on its texts"},
		{has("train s"), "train s: of the training passes alone, mean over the seeds"},
		{has("in all s"), "in all s: with what comes before, between and after them, from opening the data; –: not known"},
		{has("learned from"), "learned from: reviews with their class, texts without, other data"},
		{true, "chosen on: by what the epoch was; whether somebody kept the best of several settings, no folder tells"},
		{slices.ContainsFunc(b.Rows, Row.oracle), report.OracleKey},
		{b.IMDB, "?: the paper does not say, as far as it was at hand"},
		{b.IMDB, "ranks go by the number alone, within each table: exp compare says whether two differ by more than chance"},
	} {
		if k.used {
			out = append(out, k.text)
		}
	}
	return strings.Join(out, "; ") + "."
}

// Text writes the leaderboard as plain tables of at most width columns (0: as wide as they
// get), in colour or not.
func (b *Board) Text(w io.Writer, width int, color bool) error { return b.View().Text(w, width, color) }

// Markdown writes it as pipe tables with every column.
func (b *Board) Markdown(w io.Writer) error { return b.View().Markdown(w) }

// LaTeX writes it as floating tables, as exp report does.
func (b *Board) LaTeX(w io.Writer) error { return b.View().LaTeX(w) }

// HTML writes it as sections of a page.
func (b *Board) HTML(w io.Writer) error { return b.View().HTML(w) }
