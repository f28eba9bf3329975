package plan

import (
	"fmt"
	"slices"

	"imdbexp/dataset/folder"
)

// Idle returns a sentence for each setting of a file or the command line that has no effect in some of
// the plans because of other settings. That is not an error: other runs of a grid may use it.
func Idle(plans []*Plan) (out []string) {
	for _, p := range plans {
		for _, s := range p.Set.All() {
			if s.Needs == "" || !s.Changed() && !p.otherWidth(s.Key) || p.rank(s.From) < rankFile {
				continue
			}
			if under, needs, is := p.Set.Idle(s.Key); is {
				text := fmt.Sprintf("%s=%s has no effect under %s: it needs %s", s.Key, s.Value, under, needs)
				if !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// otherWidth reports whether a setting is a width from the command line for vectors that have a fixed
// width. It is not an error: runs of a grid have it in their IDs.
func (p *Plan) otherWidth(key string) bool {
	return key == "vectors.dim" && p.rank(p.from(key)) == rankCommandLine && p.Run.Vectors.Vectors != folder.GloveName(p.Run.Dim)
}
