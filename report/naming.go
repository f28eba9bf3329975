package report

import (
	"slices"
	"strings"

	"imdbexp/runs"
)

// naming knows which settings tell the rows of a block apart: those in which
// runs of the same experiment, optimizer and variant differ, and those that the
// user gave. What columns, optimizer or seeds tell already is left out.
type naming map[rowGroup]*groupNames

type rowGroup struct{ name, optimizer string }

type groupNames struct {
	differ []string            // keys
	usual  map[string][]string // key → values it has where the user did not give it
}

// told are the settings that the table shows elsewhere.
var told = []string{"seed", "variant", "optimizer", "data", "data.limit"}

func groupOf(r *Result) rowGroup { return rowGroup{r.Config.Name, r.Optimizer()} }

func newNaming(list []*Result) naming {
	type column struct {
		rowGroup
		variant string
	}
	first := map[column]*Result{}
	n := naming{}
	for _, r := range list {
		g := n[groupOf(r)]
		if g == nil {
			g = &groupNames{usual: map[string][]string{}}
			n[groupOf(r)] = g
		}
		k := column{groupOf(r), variant(r)}
		if first[k] == nil {
			first[k] = r
		}
		user := given(&r.Config)
		for _, s := range r.Config.Settings {
			if slices.Contains(told, s.Key) {
				continue
			}
			if first[k].Config.Setting(s.Key) != s.Value && !slices.Contains(g.differ, s.Key) {
				g.differ = append(g.differ, s.Key)
			}
			if !slices.Contains(user, s) && !slices.Contains(g.usual[s.Key], s.Value) {
				g.usual[s.Key] = append(g.usual[s.Key], s.Value)
			}
		}
	}
	return n
}

// key is equal for runs of one row.
func (n naming) key(r *Result) string { return n.join(r, false) }

// label is what a row of this run names, in order of declaration. A value that
// every run has unless its user said otherwise goes without saying.
func (n naming) label(r *Result) string { return n.join(r, true) }

func (n naming) join(r *Result, brief bool) string {
	g, user := n[groupOf(r)], given(&r.Config)
	var out []string
	for _, s := range r.Config.Settings {
		named := slices.Contains(g.differ, s.Key) || slices.Contains(user, s) && !slices.Contains(told, s.Key)
		if named && !(brief && g.goesWithoutSaying(s)) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return strings.Join(out, " ")
}

func (g *groupNames) goesWithoutSaying(s runs.Value) bool {
	usual := g.usual[s.Key]
	return len(usual) == 1 && usual[0] == s.Value
}
