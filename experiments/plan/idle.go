package plan

import (
	"fmt"

	"imdbexp/dataset/folder"
)

// Idle returns a sentence for each setting of a file or the command line that has no effect in some of
// the plans because of other settings. That is not an error: other runs of a grid may use it.
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

// otherWidth reports whether a setting is a width from the command line for vectors that have a fixed
// width. It is not an error: runs of a grid have it in their IDs.
func (p *Plan) otherWidth(key string) bool {
	return key == "vectors.dim" && p.rank(p.from(key)) == rankCommandLine && p.Run.Vectors.Vectors != folder.GloveName(p.Run.Dim)
}
