package tables

import (
	"cmp"
	"maps"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
)

// Blocks groups the runs by their reviews: the full IMDB first, then parts of it, other data from
// the largest on, and the sample last.
func Blocks(results []*report.Result) []Block {
	byReviews := map[report.Reviews][]*report.Result{}
	for _, r := range results {
		k := report.ReviewsOf(&r.Config)
		byReviews[k] = append(byReviews[k], r)
	}
	var keys []report.Reviews
	for k := range byReviews {
		keys = append(keys, k)
	}
	rank := func(k report.Reviews) int {
		switch {
		case slices.ContainsFunc(byReviews[k], full):
			return 0
		case k.Name == "imdb":
			return 1
		case k.Name == "sample":
			return 3
		}
		return 2
	}
	slices.SortFunc(keys, func(a, b report.Reviews) int {
		return cmp.Or(rank(a)-rank(b), size(byReviews[b])-size(byReviews[a]), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Digest, b.Digest))
	})
	titles := map[string]int{}
	for _, k := range keys {
		titles[title(byReviews[k])]++
	}
	var out []Block
	for _, k := range keys {
		list := byReviews[k]
		var tested, untested []*report.Result
		for _, r := range list {
			if r.Trial() {
				untested = append(untested, r)
			} else {
				tested = append(tested, r)
			}
		}
		b := Block{Title: title(list), Rows: rows(tested), Trials: trials(untested), compared: compared(tested)}
		addEvaluations(b.Rows)
		b.Variants = variantsOf(tested, b.compared)
		if titles[b.Title] > 1 { // the same title for different reviews
			b.Title += ", data digest " + format.Short(k.Digest)
		}
		out = append(out, b)
	}
	return out
}

// title names the reviews of a block by the run with the most training reviews; data.train gives
// other runs fewer.
func title(list []*report.Result) string {
	largest := slices.MaxFunc(list, func(a, b *report.Result) int {
		trained := func(r *report.Result) int { return r.Config.Data.Train.Reviews + r.Config.Data.Valid.Reviews }
		return trained(a) - trained(b)
	})
	return report.ReviewsTitle(&largest.Config)
}

// size returns the largest number of reviews that one of the runs reads.
func size(list []*report.Result) int {
	n := 0
	for _, r := range list {
		d := r.Config.Data
		n = max(n, d.Train.Reviews+d.Valid.Reviews+d.Test.Reviews)
	}
	return n
}

func full(r *report.Result) bool { return report.FullIMDB(&r.Config) }

// compared reports whether the published table is about the reviews of these runs and any of
// their experiments.
func compared(list []*report.Result) bool {
	return slices.ContainsFunc(list, full) && slices.ContainsFunc(list, func(r *report.Result) bool { return r.Config.Published != nil })
}

// variantsOf returns the variants of the runs; all adds the missing ones of the published table.
func variantsOf(list []*report.Result, all bool) []string {
	found := map[string]bool{}
	for _, r := range list {
		found[r.Variant()] = true
	}
	var out []string
	for _, v := range report.Variants {
		if all || found[v] {
			out = append(out, v)
		}
		delete(found, v)
	}
	return append(out, slices.Sorted(maps.Keys(found))...)
}
