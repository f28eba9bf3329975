package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
		rows := report.Filter(b.Rows, func(r Row) bool { return b.IMDB && r.Part == part || !b.IMDB && part == 0 })
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
		name, place := term.Cell{Text: r.Name, Faint: r.Published != nil}, ""
		if r.Rank > 0 {
			name.Text = fmt.Sprintf("%d. %s", r.Rank, r.Name)
		}
		if r.Published != nil {
			name.Text, name.More, place = name.Text+":", r.Published.Model, r.Published.Place
		}
		chosen := cmp.Or(r.Chosen, "nothing")
		if chosen == published.Test {
			chosen = "test set"
		}
		accuracy := term.Cell{Text: format.Fixed(r.Accuracy.Mean, 2), Marks: notes.Mark(r.Notes)}
		if r.Accuracy.N > 1 {
			accuracy.More = "± " + format.Fixed(r.Accuracy.SD, 2)
		}
		t.AddCells([]term.Cell{name, accuracy, {Text: render.Between(r.Wilson), Faint: true}, {Text: format.Fixed(r.Rewritten, 2)}, {Text: count(len(r.Runs))},
			{Text: count(r.Weights.Dense)}, {Text: count(r.Weights.Vectors)}, {Text: count(r.Weights.Sparse)}, {Text: seconds(r.Seconds)}, {Text: total(rows, r)},
			{Text: r.Seen.String()}, {Text: chosen}, {Text: r.Machine, Faint: true}, {Text: place},
			{Text: report.IDs(r.Runs), Faint: true}, {Text: report.Citations(r.Runs), Faint: true}}...)
	}
	return t.Filled()
}

// wilson heads the intervals.
const wilson = "95 % Wilson"

// count formats a number; "" for 0.
func count(n int) string { return strings.TrimPrefix(format.Thousands(n), "0") }

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
		{slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Chosen == published.Test }), "test set: not a valid result"},
		{b.IMDB, "?: the paper does not say, as far as it was available"},
		{b.IMDB, "ranks go by the number alone, within each table: exp compare tests whether two differ by more than chance"},
	})
}

// partNames name the parts in the CSV.
var partNames = []string{"alone", "outside", "unranked"}

// record returns the columns of the CSV with the values of a row. They are part of its format: new ones are added at the end.
func (b *Block) record(r *Row) (names, values []string) {
	part, sd, unlabelled, model, place := partNames[Unranked], math.NaN(), strconv.Itoa(r.Seen.Unlabelled), "", ""
	weights, number, yes := strconv.Itoa, format.Exact, strconv.FormatBool
	if b.IMDB {
		part = partNames[r.Part]
	}
	if r.Accuracy.N > 1 {
		sd = r.Accuracy.SD
	}
	if r.Seen.Unlabelled < 0 { // an unknown number
		unlabelled = ""
	}
	if r.Published != nil {
		model, place, weights = r.Published.Model, r.Published.Place, positive
	}
	return render.Record("reviews", b.Title, "part", part, "rank", positive(r.Rank), "name", r.Name, "published", yes(r.Published != nil),
		"test_acc", number(r.Accuracy.Mean), "test_acc_sd", number(sd), "test_acc_wilson_low", number(r.Wilson.Low), "test_acc_wilson_high", number(r.Wilson.High),
		"seeds", positive(len(r.Runs)), "dense_weights", weights(r.Weights.Dense), "vector_weights", weights(r.Weights.Vectors), "ngram_weights", weights(r.Weights.Sparse),
		"train_seconds", number(r.Seconds), "machine", r.Machine, "labels", strconv.Itoa(r.Seen.Labels), "unlabelled", unlabelled,
		"outside", r.Seen.Outside, "test_texts", yes(r.Seen.TestTexts), "chosen_on", cmp.Or(r.Chosen, "nothing"), "published_model", model, "published_in", place,
		"runs", report.IDs(r.Runs), "cite_as", report.Citations(r.Runs), "notes", report.JoinNotes(r.Notes), "all_seconds", number(r.Whole), "rewritten_acc", number(r.Rewritten))
}

// positive formats a number; "" for 0.
func positive(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }

// Records returns a record for each row. Numbers have all their digits; missing ones are empty.
func (b *Board) Records() term.Records {
	names, _ := new(Block).record(new(Row))
	lines := term.Records{names}
	for i := range b.Blocks {
		for j := range b.Blocks[i].Rows {
			_, values := b.Blocks[i].record(&b.Blocks[i].Rows[j])
			lines = append(lines, values)
		}
	}
	return lines
}
