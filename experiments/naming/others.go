package naming

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/runs"
)

// OthersError is the error of a name that means no run, while its experiment has other runs.
type OthersError struct {
	Name  string
	Given []string // key=value
	Meant string   // the settings that the name means, in words; "" if they are wrong
	Refs  []string // names that have runs, the newest first
	More  int      // number of names that are not in Refs
}

func (e *OthersError) Error() string {
	if e.Meant == "" {
		return ref(e.Name, e.Given) + " is not enough to train a run"
	}
	return fmt.Sprintf("%s means %s, of which there is no finished run", ref(e.Name, e.Given), e.Meant)
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
		all, seed = having, len(ofSeed(given)) > 0
	}
	all = slices.Clone(all)
	slices.Reverse(all)
	done := finished(all)
	open := slices.DeleteFunc(all, func(r *runs.Run) bool { return r.Status.State == runs.Finished })
	var names []string
	for _, r := range slices.Concat(done, open) {
		if word := n.refOf(r, seed); !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	e.Refs = names[:min(maxRefs, len(names))]
	e.More = len(names) - len(e.Refs)
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
	read, err := runs.BracketSettings(name)
	if err != nil || !slices.Equal(read, words) || r.Status.State != runs.Finished || n.plan(c.Name, words) == nil {
		return c.ShortID()
	}
	return name
}
