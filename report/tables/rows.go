package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rows sorts the runs of one block into rows.
func rows(list []*Result) []Row {
	naming := newNaming(list)
	type key struct {
		rowGroup
		label string
	}
	byKey := map[key][]*Result{}
	for _, r := range list {
		k := key{rowGroupOf(r), naming.label(r)}
		byKey[k] = append(byKey[k], r)
	}
	keys := slices.SortedFunc(maps.Keys(byKey), func(a, b key) int {
		return cmp.Or(a.compare(b.rowGroup), cmp.Compare(a.label, b.label))
	})
	var out []Row
	for _, k := range keys {
		same := byKey[k]
		columns := map[string][]*Cell{}
		height := 0
		for _, v := range variantsOf(same, false) {
			columns[v] = cells(v, same)
			height = max(height, len(columns[v]))
		}
		for i := range height {
			row := Row{Name: k.name, Optimizer: k.optimizer, Settings: strings.Fields(k.label), Cells: map[string]*Cell{}}
			for v, c := range columns {
				if i < len(c) {
					row.Cells[v] = c[i]
				}
			}
			row.publish()
			out = append(out, row)
		}
	}
	return out
}

// Label names the row as one would type it: "tme9-lstm sgd select=best".
func (r Row) Label() string {
	return strings.Join(append([]string{r.Name, r.Optimizer}, r.Settings...), " ")
}

// inOrder is the order of the published report, for the experiments in it and
// those beside them.
var inOrder = []string{
	"tme9-mean", "tme9-simple", "tme9-query", "tme9-values",
	"tme9-lstm", "tme9-bilstm", "tme9-lstm-last", "tme9-lstm-mean", "tme9-entropy",
	"tme10-self", "tme10-pe", "tme10-cls", "tme10-cls-pe",
	"multihead", "transformer", "additive", "luong",
	"seq2seq-plain", "seq2seq-bahdanau", "seq2seq-luong", "seq2seq-transformer",
}

func experimentRank(name string) int {
	if i := slices.Index(inOrder, name); i >= 0 {
		return i
	}
	return len(inOrder)
}

// cells averages the runs of one variant of a row over seeds, and over nothing
// else: runs that differ in anything but the seed, repeat a seed or did not
// finish have cells of their own, each with a note that tells why. Finished runs
// of the newest result version come first.
func cells(column string, row []*Result) []*Cell {
	groups := grouped(slices.DeleteFunc(slices.Clone(row), func(r *Result) bool { return variant(r) != column }))
	var out []*Cell
	for i, g := range groups {
		var extra []Note
		if i > 0 && len(progressNotes(g[0])) == 0 {
			extra = []Note{{Repeated, "with the row above: " + unlike(groups[0][0], g[0])}}
		}
		out = append(out, oneSetting(column, g, extra)...)
	}
	return out
}

// oneSetting averages runs that differ by nothing but the seed, unless one is there
// twice.
func oneSetting(column string, g []*Result, extra []Note) []*Cell {
	seed, twice := repeatedSeed(g)
	if !twice {
		return []*Cell{newCell(column, g, extra)}
	}
	var out []*Cell
	for _, r := range g {
		n := Note{Repeated, fmt.Sprintf("seed %d is there more than once", seed)}
		out = append(out, newCell(column, []*Result{r}, append(slices.Clone(extra), n)))
	}
	return out
}

// grouped parts runs by their settings, each part by seed: those that finished
// come first, then those of the newest result version, then the furthest.
func grouped(list []*Result) [][]*Result {
	bySetting := map[string][]*Result{}
	for _, r := range list {
		k := settingKey(r)
		bySetting[k] = append(bySetting[k], r)
	}
	groups := slices.Collect(maps.Values(bySetting))
	for _, g := range groups {
		bySeed(g)
	}
	slices.SortFunc(groups, func(a, b []*Result) int {
		x, y := a[0], b[0]
		return cmp.Or(-compareBool(x.Finished, y.Finished), cmp.Compare(x.Config.Behind(), y.Config.Behind()),
			-cmp.Compare(x.Done, y.Done), cmp.Compare(x.Config.ID, y.Config.ID), cmp.Compare(x.Path, y.Path))
	})
	return groups
}

// settingKey is equal for runs that may be averaged.
func settingKey(r *Result) string {
	var b strings.Builder
	for _, s := range r.Config.Settings {
		if s.Key != "seed" && s.Key != "variant" {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Config.Digests)) {
		if k == "vectors" && r.Config.Setting(k) == "random" {
			continue // they follow from the seed
		}
		fmt.Fprintf(&b, "digest %q=%q\n", k, r.Config.Digests[k])
	}
	fmt.Fprintf(&b, "model %q\nresult %d\n", r.Config.Model, r.Config.Result)
	if !r.Finished {
		fmt.Fprintf(&b, "unfinished %q\n", r.Path)
	}
	return b.String()
}

// unlike tells in what two runs of the same settings differ.
func unlike(a, b *Result) string {
	for _, k := range slices.Sorted(maps.Keys(b.Config.Digests)) {
		if a.Config.Digests[k] != b.Config.Digests[k] {
			return "other " + k + ", digest " + short(b.Config.Digests[k])
		}
	}
	if a.Config.Model != b.Config.Model {
		return "other model, " + b.Config.Model
	}
	return "settings that one of them does not have"
}

// progressNotes are the notes on how far a run came, which explain by
// themselves why it stands apart.
func progressNotes(r *Result) []Note {
	return slices.DeleteFunc(slices.Clone(r.Notes), func(n Note) bool { return !n.ofProgress() })
}

func repeatedSeed(g []*Result) (uint64, bool) {
	for i := 1; i < len(g); i++ { // ordered by seed
		if s := g[i].Config.Seed(); s == g[i-1].Config.Seed() {
			return s, true
		}
	}
	return 0, false
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
