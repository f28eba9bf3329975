package again

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/experiments/plan"
)

// Words returns the words of an exp run that makes this very plan wherever it is
// called: no file, group or data=auto in them. They are few: what the experiment, the
// optimiser's row, the variant and the sample say is left out.
func Words(p *plan.Plan) ([]string, error) {
	words := append([]string{p.Experiment.Name, "data=" + p.Run.Data.Data}, p.Adapted()...)
	for range 4 { // what one setting brings along may have to be set back
		got, err := plan.Resolve(context.Background(), words, p.Run.Data.Data)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be written as words: %w", p.Experiment.Name, err)
		}
		if len(got) != 1 {
			break
		}
		more := differing(p, got[0])
		if len(more) == 0 {
			return words, nil
		}
		words = replaced(words, more)
	}
	return nil, fmt.Errorf("%s cannot be written as the words of one run: %s", p.Experiment.Name, strings.Join(words, " "))
}

// differing returns what to set in got to come to p: first what brings other
// settings along.
func differing(p, got *plan.Plan) []string {
	var leading, more []string
	for _, s := range p.Set.All() {
		if g, _ := got.Set.Get(s.Key); g.Value == s.Value {
			continue
		}
		word := s.Key + "=" + s.Value
		if s.Key == "optimizer" || s.Key == "variant" {
			leading = append(leading, word)
		}
		more = append(more, word)
	}
	if len(leading) > 0 {
		return leading
	}
	return more
}

// replaced returns the words with more of them, each in place of one of its key.
func replaced(words, more []string) []string {
	out := words[:len(words):len(words)]
	for _, m := range more {
		key, _, _ := strings.Cut(m, "=")
		at := -1
		for i, w := range out {
			if strings.HasPrefix(w, key+"=") {
				at = i
			}
		}
		if at < 0 {
			out = append(out, m)
			continue
		}
		out[at] = m
	}
	return out
}
