package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"imdbexp/runs"
)

// The variants that have a column beside the published numbers in any case.
var variants = []string{"original", "default"}

// reviews identifies the reviews that a run saw.
type reviews struct{ name, digest, limit string }

func reviewsOf(c *runs.Config) reviews {
	return reviews{c.Data.Name, c.Digests["data"], limit(c)}
}

// blocks parts the runs by the reviews they saw: the full IMDB first, then other
// parts of it, other data by name, the embedded sample last.
func blocks(results []*Result) []Block {
	byReviews := map[reviews][]*Result{}
	for _, r := range results {
		k := reviewsOf(&r.Config)
		byReviews[k] = append(byReviews[k], r)
	}
	var keys []reviews
	for k := range byReviews {
		keys = append(keys, k)
	}
	rank := func(k reviews) int {
		switch {
		case fullIMDB(&byReviews[k][0].Config):
			return 0
		case k.name == "imdb":
			return 1
		case k.name == "sample":
			return 3
		}
		return 2
	}
	slices.SortFunc(keys, func(a, b reviews) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.name, b.name),
			cmp.Compare(len(a.limit), len(b.limit)), cmp.Compare(a.limit, b.limit), cmp.Compare(a.digest, b.digest))
	})
	titles := map[string]int{}
	for _, k := range keys {
		titles[title(&byReviews[k][0].Config)]++
	}
	var out []Block
	for _, k := range keys {
		list := byReviews[k]
		var looked, never []*Result
		for _, r := range list {
			if r.trial() {
				never = append(never, r)
			} else {
				looked = append(looked, r)
			}
		}
		b := Block{Title: title(&list[0].Config), Digest: k.digest, Rows: rows(looked), Trials: trials(never), compared: compared(looked)}
		addLooks(b.Rows)
		b.Variants = variantsOf(looked, b.compared)
		if titles[b.Title] > 1 { // the same words for different reviews
			b.Title += ", data digest " + short(k.digest)
		}
		out = append(out, b)
	}
	return out
}

func title(c *runs.Config) string {
	name := c.Data.Name
	switch name {
	case "imdb":
		name = "IMDB"
	case "sample":
		name = "Embedded sample"
	case "phrases":
		name = "Embedded phrases"
	case "":
		name = "Unknown data"
	}
	if l := limit(c); l != "0" {
		name += ", first " + l + " " + c.Data.Unit()
		if !c.Translates() {
			name += " of each class"
		}
	}
	return fmt.Sprintf("%s: %s training and %s test %s", name,
		thousands(c.Data.Train.Reviews+c.Data.Valid.Reviews), thousands(c.Data.Test.Reviews), c.Data.Unit())
}

// short cuts a digest to what tells it apart in print.
func short(digest string) string {
	if digest == "" {
		return "unknown"
	}
	return digest[:min(8, len(digest))]
}

// compared reports whether the published table speaks of the reviews that these
// runs saw, and of any of their experiments.
func compared(list []*Result) bool {
	return len(list) > 0 && fullIMDB(&list[0].Config) && slices.ContainsFunc(list, func(r *Result) bool { return r.Config.Published != nil })
}

// variantsOf returns the variants of the runs; all adds those of the published
// table that are missing.
func variantsOf(list []*Result, all bool) []string {
	there := map[string]bool{}
	for _, r := range list {
		there[variant(r)] = true
	}
	var out []string
	for _, v := range variants {
		if all || there[v] {
			out = append(out, v)
		}
		delete(there, v)
	}
	return append(out, slices.Sorted(maps.Keys(there))...)
}

func variant(r *Result) string { return cmp.Or(r.Config.Variant, "default") }
