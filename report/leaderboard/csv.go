package leaderboard

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"imdbexp/internal/format"
)

// partNames name the parts in the CSV.
var partNames = []string{"alone", "outside", "unranked"}

// field is one column of the CSV.
type field struct {
	name string
	of   func(b *Block, r *Row) string
}

func whole(n int) string { return strconv.Itoa(n) }

// fields are part of the CSV's format: new ones are added at the end.
var fields = []field{
	{"reviews", func(b *Block, _ *Row) string { return b.Title }},
	{"part", func(b *Block, r *Row) string {
		if !b.IMDB {
			return partNames[Unranked]
		}
		return partNames[r.Part]
	}},
	{"rank", func(_ *Block, r *Row) string { return none(r.Rank) }},
	{"name", func(_ *Block, r *Row) string { return r.Name }},
	{"published", func(_ *Block, r *Row) string { return strconv.FormatBool(r.Published != nil) }},
	{"test_acc", func(_ *Block, r *Row) string { return format.Exact(r.Accuracy.Mean) }},
	{"test_acc_sd", func(_ *Block, r *Row) string {
		if r.Accuracy.N < 2 {
			return ""
		}
		return format.Exact(r.Accuracy.SD)
	}},
	{"test_acc_wilson_low", func(_ *Block, r *Row) string { return r.bound(r.Wilson.Low) }},
	{"test_acc_wilson_high", func(_ *Block, r *Row) string { return r.bound(r.Wilson.High) }},
	{"seeds", func(_ *Block, r *Row) string { return none(len(r.Runs)) }},
	{"dense_weights", func(_ *Block, r *Row) string { return r.weights(r.Weights.Dense) }},
	{"vector_weights", func(_ *Block, r *Row) string { return r.weights(r.Weights.Vectors) }},
	{"ngram_weights", func(_ *Block, r *Row) string { return r.weights(r.Weights.Sparse) }},
	{"train_seconds", func(_ *Block, r *Row) string { return format.Exact(r.Seconds) }},
	{"machine", func(_ *Block, r *Row) string { return r.Machine }},
	{"labels", func(_ *Block, r *Row) string { return whole(r.Seen.Labels) }},
	{"unlabelled", func(_ *Block, r *Row) string {
		if r.Seen.Unlabelled < 0 {
			return "" // some
		}
		return whole(r.Seen.Unlabelled)
	}},
	{"outside", func(_ *Block, r *Row) string { return r.Seen.Outside }},
	{"test_texts", func(_ *Block, r *Row) string { return strconv.FormatBool(r.Seen.TestTexts) }},
	{"chosen_on", func(_ *Block, r *Row) string {
		if r.Chosen == "" {
			return "nothing"
		}
		return r.Chosen
	}},
	{"published_model", func(_ *Block, r *Row) string {
		if r.Published == nil {
			return ""
		}
		return r.Published.Model
	}},
	{"published_in", func(_ *Block, r *Row) string { return r.place() }},
	{"runs", func(_ *Block, r *Row) string { return strings.Join(r.ids(), " ") }},
	{"cite_as", func(_ *Block, r *Row) string { return strings.Join(r.citations(), " ") }},
	{"notes", func(_ *Block, r *Row) string {
		var out []string
		for _, n := range r.Notes {
			out = append(out, n.String())
		}
		return strings.Join(out, "; ")
	}},
	{"all_seconds", func(_ *Block, r *Row) string { return format.Exact(r.Whole) }},
}

// none leaves a number out that is not there.
func none(n int) string {
	if n == 0 {
		return ""
	}
	return whole(n)
}

// weights is a number of weights; of a published row that states none it is left out.
func (r *Row) weights(n int) string {
	if r.Published != nil {
		return none(n)
	}
	return whole(n)
}

func (r *Row) bound(v float64) string {
	if math.IsNaN(r.Accuracy.Mean) {
		return ""
	}
	return format.Exact(v)
}

// CSV writes one line a row. Numbers have all their digits; what is missing is empty.
func (b *Board) CSV(w io.Writer) error {
	var head []string
	for _, f := range fields {
		head = append(head, f.name)
	}
	lines := [][]string{head}
	for i := range b.Blocks {
		block := &b.Blocks[i]
		for j := range block.Rows {
			var line []string
			for _, f := range fields {
				line = append(line, f.of(block, &block.Rows[j]))
			}
			lines = append(lines, line)
		}
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("leaderboard: %w", err)
	}
	return nil
}
