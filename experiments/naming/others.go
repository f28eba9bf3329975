package naming

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/runs"
)

// OthersError is the error of a name that means no run, while its experiment has other runs.
type OthersError struct {
	Name   string
	Given  []string // key=value
	Meant  string   // the settings that the name means, in words; "" if they are wrong
	Refs   []string // names that have runs
	More   int      // number of names that are not in Refs
	Trials int      // number of trials of a search, which are not in Refs either
	Open   bool     // runs of several settings match
}

func (e *OthersError) Error() string {
	text := e.Because()
	if len(e.Refs) > 0 {
		text += "; there are " + strings.Join(e.Refs, ", ")
	}
	return text
}

// Because returns the message without the other names.
func (e *OthersError) Because() string {
	text := fmt.Sprintf("%s means %s, of which there is no finished run", ref(e.Name, e.Given), e.Meant)
	if e.Meant == "" {
		text = ref(e.Name, e.Given) + " is not enough to train a run"
	}
	if e.Open {
		text += "; runs of several settings have it"
	}
	return text
}

// Make returns the arguments of exp that train the run of the name.
func (e *OthersError) Make() []string { return append([]string{"run", e.Name}, e.Given...) }

// maxRefs limits a list of names.
const maxRefs = 20

// others lists the names of the runs of an experiment; only those that have the given settings, if
// there are any.
func (n *Names) others(name string, given []string, all, having []*runs.Run) error {
	e := &OthersError{Name: name, Given: given}
	if p := n.plan(name, given); p != nil {
		e.Meant = "the experiment with its default settings on " + p.Run.Data.Data
		if len(given) > 0 {
			e.Meant = strings.Join(given, ", ") + " and otherwise the default settings on " + p.Run.Data.Data
		}
	}
	seed := false // the names have seeds
	if len(having) > 0 {
		e.Open, all = len(given) > 0, having
		seed = slices.ContainsFunc(given, func(a string) bool { return strings.HasPrefix(a, "seed=") })
	}
	seen := map[string]bool{}
	all = slices.Clone(all)
	slices.Reverse(all) // newest first, unfinished ones last
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
		if len(e.Refs) == maxRefs {
			e.More++
			continue
		}
		e.Refs = append(e.Refs, word)
	}
	return e
}

// refOf returns a name for the settings of a run, or the ID of the run if they have none.
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

// searched reports whether a run is a trial of a search: it is never evaluated on the test set, and
// its experiment is.
func searched(c *runs.Config, n *Names) bool {
	p := n.plan(c.Name, nil)
	return p != nil && c.Untested() && p.Run.Test != "never"
}
