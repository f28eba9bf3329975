package naming

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/runs"
)

// OthersError is the name of an experiment that means no run, while there are others of
// it.
type OthersError struct {
	Name   string
	Given  []string // key=value
	Meant  string   // what exp run makes of it, in words; "" where it refuses that
	Refs   []string // names that mean some run each
	More   int      // settings that are not among Refs
	Trials int      // of a search, which are not among Refs either
	Open   bool     // runs of several settings have what was given
}

func (e *OthersError) Error() string {
	text := e.Because()
	if len(e.Refs) > 0 {
		text += "; there are " + strings.Join(e.Refs, ", ")
	}
	return text
}

// Because says what is wrong, without the other names.
func (e *OthersError) Because() string {
	text := fmt.Sprintf("%s means %s, of which there is no finished run", ref(e.Name, e.Given), e.Meant)
	if e.Meant == "" {
		text = ref(e.Name, e.Given) + " alone says too little to make a run"
	}
	if e.Open {
		text += "; runs of several settings have it"
	}
	return text
}

// Make returns the words for exp run that make what the name means.
func (e *OthersError) Make() []string { return append([]string{"run", e.Name}, e.Given...) }

// mostRefs bounds a list of names.
const mostRefs = 20

// others lists the settings of the runs of a name, those that have what was asked for
// where there are such.
func (n *Names) others(name string, given []string, all, having []*runs.Run) error {
	e := &OthersError{Name: name, Given: given}
	if p := n.plan(name, given); p != nil {
		e.Meant = "the experiment with its default settings on " + p.Run.Data.Data
		if len(given) > 0 {
			e.Meant = strings.Join(given, ", ") + " and otherwise the default settings on " + p.Run.Data.Data
		}
	}
	seed := false // is part of the names
	if len(having) > 0 {
		e.Open, all = len(given) > 0, having
		seed = slices.ContainsFunc(given, func(a string) bool { return strings.HasPrefix(a, "seed=") })
	}
	seen := map[string]bool{}
	all = slices.Clone(all)
	slices.Reverse(all) // the newest first, but what has not finished last
	done := finished(all)
	rest := slices.DeleteFunc(all, func(r *runs.Run) bool { return r.Status.State == runs.Finished })
	for _, r := range slices.Concat(done, rest) {
		if searched(&r.Config, n) {
			e.Trials++
			continue
		}
		word := n.refOf(r, seed)
		if seen[word] {
			continue
		}
		seen[word] = true
		if len(e.Refs) == mostRefs {
			e.More++
			continue
		}
		e.Refs = append(e.Refs, word)
	}
	return e
}

// refOf names the setting of a run, with or without its seed, or where that cannot be written so the run.
func (n *Names) refOf(r *runs.Run, seed bool) string {
	c := r.Normalized()
	words := n.assignments(&c)
	if seed {
		words = append(words, "seed="+c.Setting("seed"))
	}
	name := ref(c.Name, words)
	if read, err := runs.BracketSettings(name); err != nil || !slices.Equal(read, words) {
		return c.ShortID()
	}
	if r.Status.State != runs.Finished || n.plan(r.Config.Name, words) == nil {
		return c.ShortID()
	}
	return name
}

// searched reports whether a run is a trial of a search, which never looks at test, as
// its experiment by itself does.
func searched(c *runs.Config, n *Names) bool {
	p := n.plan(c.Name, nil)
	return p != nil && c.Untested() && p.Run.Test != "never"
}
