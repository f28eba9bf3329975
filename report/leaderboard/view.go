package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs/published"
)

// captions are the headings of the parts of a ranked block.
var captions = []string{"From the reviews of IMDB alone", "With outside data", "Not ranked"}

func (b *Block) section() render.Section {
	var notes render.Footnotes
	var tables []*term.Table
	for part, caption := range captions {
		rows := slices.DeleteFunc(slices.Clone(b.Rows), func(r Row) bool { return b.IMDB && r.Part != part || !b.IMDB && part > 0 })
		if len(rows) == 0 {
			continue
		}
		if !b.IMDB {
			caption = "Not ranked: reviews other than the 25 000 test reviews of IMDB"
		}
		tables = append(tables, table(caption, rows, &notes))
	}
	return render.Section{Title: b.Title, Tables: tables, Keys: b.keys, Notes: notes.List}
}

func table(caption string, rows []Row, notes *render.Footnotes) *term.Table {
	name, accuracy := render.Words("", 0), render.Numbers("accuracy", 0)
	name.Keep, accuracy.Keep = true, true
	t := render.NewTable(caption, name, accuracy, render.Numbers(wilson, 3), render.Numbers("rewritten", 3), render.Numbers("seeds", 4),
		render.Numbers("dense weights", 2), render.Numbers("of these vectors", 2), render.Numbers("n-gram weights", 2),
		render.Numbers("train s", 4), render.Numbers("total s", 5),
		render.Words("learned from", 1), render.Words("chosen on", 0), render.Words("machine", 6), render.Words("published in", 5),
		term.Column{Head: "runs", Optional: 7, Holds: term.IDs}, term.Column{Head: "cite as", Optional: 8, Holds: term.Citations})
	for i := range rows {
		r := &rows[i]
		name := term.Cell{Text: r.Name, Faint: r.Published != nil}
		if r.Rank > 0 {
			name.Text = fmt.Sprintf("%d. %s", r.Rank, r.Name)
		}
		if r.Published != nil {
			name.Text, name.More = name.Text+":", r.Published.Model
		}
		accuracy := term.Cell{Text: format.Fixed(r.Accuracy.Mean, 2), Marks: notes.Mark(r.Notes)}
		if r.Accuracy.N > 1 {
			accuracy.More = "± " + format.Fixed(r.Accuracy.SD, 2)
		}
		t.AddCells([]term.Cell{name, accuracy, {Text: r.interval(), Faint: true}, {Text: format.Fixed(r.Rewritten, 2)}, {Text: count(len(r.Runs))},
			{Text: count(r.Weights.Dense)}, {Text: count(r.Weights.Vectors)}, {Text: count(r.Weights.Sparse)}, {Text: seconds(r.Seconds)}, {Text: total(rows, r)},
			{Text: r.Seen.String()}, {Text: r.chosenOn()}, {Text: r.Machine, Faint: true}, {Text: r.place()},
			{Text: report.IDs(r.Runs), Faint: true}, {Text: report.Citations(r.Runs), Faint: true}}...)
	}
	return t.Filled()
}

// wilson heads the intervals.
const wilson = "95 % Wilson"

func (r *Row) interval() string {
	if math.IsNaN(r.Accuracy.Mean) {
		return format.None
	}
	return render.Between(r.Wilson)
}

// count formats a number; "" for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return format.Thousands(n)
}

// total formats the total seconds of a row's runs; "–" for unknown ones if another row has them.
func total(rows []Row, r *Row) string {
	if r.Published == nil && math.IsNaN(r.Whole) && slices.ContainsFunc(rows, func(r Row) bool { return r.Whole > 0 }) {
		return format.None
	}
	return seconds(r.Whole)
}

func seconds(s float64) string {
	if math.IsNaN(s) {
		return ""
	}
	if s < 9.95 {
		return format.Fixed(s, 1)
	}
	return format.Thousands(int(math.Round(s)))
}

// choseOnTest reports whether the row's number may be that of the best test epoch.
func (r Row) choseOnTest() bool {
	return r.Chosen == published.Test || slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Kind == report.Oracle })
}

// chosenOn names the data on which the epoch was chosen.
func (r *Row) chosenOn() string {
	switch r.Chosen {
	case "":
		return "nothing"
	case published.Test:
		return "test set"
	}
	return r.Chosen
}

// place says where in its paper a published row is found.
func (r *Row) place() string {
	if r.Published == nil {
		return ""
	}
	return r.Published.Place
}

// keys explains the columns that are shown.
func (b *Block) keys(shown []string) string {
	has := func(head string) bool { return slices.Contains(shown, head) }
	return render.Keys([]render.Key{
		{true, "Accuracies in percent"},
		{has(wilson), wilson + " intervals over reviews"},
		{slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Accuracy.N > 1 }), "±: standard deviation over the seeds"},
		{has("rewritten"), "rewritten: accuracy on rewritings of minimal pairs (exp probe)"},
		{has("of these vectors"), "of these vectors: word vectors, trained with the model or before it on its texts"},
		{has("train s"), "train s: seconds of the training passes alone, mean over the seeds"},
		{has("total s"), "total s: seconds from opening the data to the end of the run; –: not known"},
		{has("learned from"), "learned from: labelled reviews, texts without labels, other data"},
		{true, "chosen on: the data on which the epoch was chosen; no folder records whether the best of several settings was kept"},
		{slices.ContainsFunc(b.Rows, Row.choseOnTest), "test set: not a valid result"},
		{b.IMDB, "?: the paper does not say, as far as it was available"},
		{b.IMDB, "ranks go by the number alone, within each table: exp compare tests whether two differ by more than chance"},
	})
}

// partNames name the parts in the CSV.
var partNames = []string{"alone", "outside", "unranked"}

// fields are the columns of the CSV. They are part of its format: new ones are added at the end.
var fields = []string{
	"reviews", "part", "rank", "name", "published", "test_acc", "test_acc_sd", "test_acc_wilson_low", "test_acc_wilson_high", "seeds",
	"dense_weights", "vector_weights", "ngram_weights", "train_seconds", "machine", "labels", "unlabelled", "outside", "test_texts", "chosen_on",
	"published_model", "published_in", "runs", "cite_as", "notes", "all_seconds", "rewritten_acc",
}

// values returns the fields of a row.
func (b *Block) values(r *Row) []string {
	part, sd, unlabelled, model := partNames[Unranked], math.NaN(), strconv.Itoa(r.Seen.Unlabelled), ""
	weights, low, high := strconv.Itoa, r.Wilson.Low, r.Wilson.High
	if b.IMDB {
		part = partNames[r.Part]
	}
	if r.Accuracy.N > 1 {
		sd = r.Accuracy.SD
	}
	if math.IsNaN(r.Accuracy.Mean) {
		low, high = math.NaN(), math.NaN()
	}
	if r.Seen.Unlabelled < 0 { // an unknown number
		unlabelled = ""
	}
	if r.Published != nil {
		model, weights = r.Published.Model, positive
	}
	return []string{
		b.Title, part, positive(r.Rank), r.Name, strconv.FormatBool(r.Published != nil),
		format.Exact(r.Accuracy.Mean), format.Exact(sd), format.Exact(low), format.Exact(high), positive(len(r.Runs)),
		weights(r.Weights.Dense), weights(r.Weights.Vectors), weights(r.Weights.Sparse), format.Exact(r.Seconds), r.Machine,
		strconv.Itoa(r.Seen.Labels), unlabelled, r.Seen.Outside, strconv.FormatBool(r.Seen.TestTexts), cmp.Or(r.Chosen, "nothing"),
		model, r.place(), report.IDs(r.Runs), report.Citations(r.Runs), report.JoinNotes(r.Notes), format.Exact(r.Whole), format.Exact(r.Rewritten),
	}
}

// positive formats a number; "" for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Records returns a record for each row. Numbers have all their digits; missing ones are empty.
func (b *Board) Records() term.Records {
	lines := term.Records{fields}
	for i := range b.Blocks {
		for j := range b.Blocks[i].Rows {
			lines = append(lines, b.Blocks[i].values(&b.Blocks[i].Rows[j]))
		}
	}
	return lines
}
