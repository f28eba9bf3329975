package leaderboard

import (
	"cmp"
	"math"
	"strconv"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
)

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
