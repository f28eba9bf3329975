package tables

import (
	"cmp"
	"slices"
	"strings"

	"imdbexp/report"
)

type naming struct {
	differ map[rowGroup][]string  // keys
	usual  map[columnKey][]string // values in runs where the user did not give them
}

type rowGroup struct {
	rank            int // of the experiment
	name, optimizer string
}

type columnGroup struct {
	rowGroup
	variant string
}

type columnKey struct {
	columnGroup
	key string
}

// compare orders rows by experiment, then by optimizer.
func (g rowGroup) compare(o rowGroup) int {
	return cmp.Or(g.rank-o.rank, cmp.Compare(g.name, o.name), cmp.Compare(g.optimizer, o.optimizer))
}

func rowGroupOf(r *report.Result) rowGroup { return rowGroup{r.Rank, r.Config.Name, r.Optimizer()} }

func columnGroupOf(r *report.Result) columnGroup { return columnGroup{rowGroupOf(r), r.Variant()} }

func newNaming(list []*report.Result) naming {
	n := naming{map[rowGroup][]string{}, map[columnKey][]string{}}
	first := map[columnGroup]*report.Result{}
	for _, r := range list {
		row, column, user := rowGroupOf(r), columnGroupOf(r), r.Config.Given()
		if first[column] == nil {
			first[column] = r
		}
		for _, s := range r.Config.Settings {
			if slices.Contains(report.Told, s.Key) {
				continue
			}
			if first[column].Config.Setting(s.Key) != s.Value {
				n.differ[row] = add(n.differ[row], s.Key)
			}
			if k := (columnKey{column, s.Key}); !slices.Contains(user, s) {
				n.usual[k] = add(n.usual[k], s.Value)
			}
		}
	}
	return n
}

// label names the settings of a run's row, in order of declaration, unless every run of the variant has this value
// where its user did not set another. Runs of one row have the same.
func (n naming) label(r *report.Result) string {
	differ, user := n.differ[rowGroupOf(r)], r.Config.Given()
	var out []string
	for _, s := range r.Config.Settings {
		named := slices.Contains(differ, s.Key) || slices.Contains(user, s) && !slices.Contains(report.Told, s.Key)
		if named && !slices.Equal(n.usual[columnKey{columnGroupOf(r), s.Key}], []string{s.Value}) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return strings.Join(out, " ")
}
