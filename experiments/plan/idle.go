package plan

import (
	"fmt"

	"imdbexp/dataset/folder"
)

// Idle says which settings, of those that a file or the command line gives, have no
// effect in some of the plans because of others, a sentence for each. They are no
// errors: of a grid or a search, other runs may use them.
func Idle(plans []*Plan) []string {
	type idle struct{ assignment, under, needs string }
	var order []idle
	in, of := map[idle]int{}, map[string]int{}
	for _, p := range plans {
		for _, s := range p.Set.All() {
			if s.Needs == "" || !s.Changed() && !p.otherWidth(s.Key) || p.rank(s.From) < rankFile {
				continue
			}
			a := s.Key + "=" + s.Value
			of[a]++
			under, needs, is := p.Set.Idle(s.Key)
			if !is {
				continue
			}
			one := idle{a, under, needs}
			if in[one]++; in[one] == 1 {
				order = append(order, one)
			}
		}
	}
	var out []string
	for _, one := range order {
		some := ""
		if n := in[one]; n < of[one.assignment] {
			some = fmt.Sprintf(" in %d of %d runs", n, of[one.assignment])
		}
		out = append(out, fmt.Sprintf("%s has no effect%s under %s: it needs %s", one.assignment, some, one.under, one.needs))
	}
	return out
}

// otherWidth reports whether a setting is a width that the command line asks for of vectors
// that have one of their own: also the default is not what the run has then. It is no error,
// as runs of a grid have it in their IDs and are typed again with it.
func (p *Plan) otherWidth(key string) bool {
	return key == "vectors.dim" && p.rank(p.from(key)) == rankCommandLine && p.Run.Vectors.Vectors != folder.GloveName(p.Run.Dim)
}
