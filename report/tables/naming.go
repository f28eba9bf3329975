package tables

import (
	"cmp"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// naming holds the settings that distinguish the rows of a block: settings that differ between
// runs of the same experiment, optimizer and variant, and settings given by the user. It skips
// settings shown by columns, optimizer or seeds, and the usual values of a variant: original and
// default share a row although they differ in every slip.
type naming struct {
	differ map[rowGroup][]string                      // keys
	usual  map[columnGroup]map[string]map[string]bool // key → its values in runs where the user did not give it
}

type rowGroup struct {
	rank            int // of the experiment
	name, optimizer string
}

type columnGroup struct {
	rowGroup
	variant string
}

// compare orders rows by experiment, then by optimizer.
func (g rowGroup) compare(o rowGroup) int {
	return cmp.Or(g.rank-o.rank, cmp.Compare(g.name, o.name), cmp.Compare(g.optimizer, o.optimizer))
}

func rowGroupOf(r *report.Result) rowGroup { return rowGroup{r.Rank, r.Config.Name, r.Optimizer()} }

func columnGroupOf(r *report.Result) columnGroup { return columnGroup{rowGroupOf(r), r.Variant()} }

func newNaming(list []*report.Result) naming {
	n := naming{map[rowGroup][]string{}, map[columnGroup]map[string]map[string]bool{}}
	first := map[columnGroup]*report.Result{}
	for _, r := range list {
		row, column := rowGroupOf(r), columnGroupOf(r)
		if first[column] == nil {
			first[column], n.usual[column] = r, map[string]map[string]bool{}
		}
		user := r.Config.Given()
		for _, s := range r.Config.Settings {
			if slices.Contains(report.Told, s.Key) {
				continue
			}
			if first[column].Config.Setting(s.Key) != s.Value && !slices.Contains(n.differ[row], s.Key) {
				n.differ[row] = append(n.differ[row], s.Key)
			}
			if slices.Contains(user, s) {
				continue
			}
			if n.usual[column][s.Key] == nil {
				n.usual[column][s.Key] = map[string]bool{}
			}
			n.usual[column][s.Key][s.Value] = true
		}
	}
	return n
}

// label names the settings of a run's row, in order of declaration. Runs of one row have the same.
func (n naming) label(r *report.Result) string {
	differ, user := n.differ[rowGroupOf(r)], r.Config.Given()
	var out []string
	for _, s := range r.Config.Settings {
		named := slices.Contains(differ, s.Key) || slices.Contains(user, s) && !slices.Contains(report.Told, s.Key)
		if named && !n.usually(r, s) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return strings.Join(out, " ")
}

// usually reports whether every run of the variant has this value unless its user set another.
func (n naming) usually(r *report.Result, s runs.Value) bool {
	usual := n.usual[columnGroupOf(r)][s.Key]
	return len(usual) == 1 && usual[s.Value]
}
