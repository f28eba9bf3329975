package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments"
	"imdbexp/runs"
)

// Runs returns the finished runs in dir that ref names. They differ only in the seed and are in the
// order of the seeds. An unfinished run is returned only if ref can mean no other run. The name of an
// experiment means the runs of exp run with any seed:
//
//	tme9-lstm                  its default settings on the installed data
//	tme9-lstm[optimizer=sgd]   the same with this optimiser and its settings
//
// If there is no such run, it means the runs that have the given settings, if these differ only in the
// seed. If there are only other runs of the experiment, the error is an OthersError. See runs.Match for
// other references.
func (n *Names) Runs(dir, ref string) ([]*runs.Run, error) {
	name, _, _ := strings.Cut(ref, "[")
	all, err := runs.Match(dir, name)
	if err != nil || all[0].Config.Name != name || runs.IsFolder(ref) {
		r, err := runs.Find(dir, ref)
		if err != nil {
			return nil, err
		}
		return []*runs.Run{r}, nil
	}
	given, err := runs.BracketSettings(ref)
	if err != nil {
		return nil, err
	}
	_, unknown := experiments.Lookup(name)
	if unknown == nil { // a run of an older program may lack a given setting
		seeded, err := runs.With(all, ofSeed(given))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", ref, err)
		}
		free, words := []string{"seed"}, slices.DeleteFunc(slices.Clone(given), anyDivision)
		if len(words) < len(given) {
			free = append(free, runs.TestSeedKey)
		}
		if out := oneSetting(n.meant(name, words, seeded, free)); out != nil {
			return out, nil
		}
	}
	list, err := runs.With(all, given)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", ref, err)
	}
	if out := oneSetting(finished(list)); unknown != nil && out != nil {
		return out, nil
	}
	if out := oneSetting(list); len(given) > 0 && out != nil {
		if done := finished(out); len(done) > 0 {
			return done, nil
		}
		return out, nil
	}
	return nil, n.others(name, given, all)
}

// ofSeed returns the conditions on the seeds.
func ofSeed(given []string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(c string) bool {
		return !strings.HasPrefix(c, "seed=") && !strings.HasPrefix(c, "seed!=") && !anyDivision(c)
	})
}

// anyDivision reports whether a condition is data.test_seed!=…: any division of the data but one.
func anyDivision(condition string) bool { return strings.HasPrefix(condition, runs.TestSeedKey+"!=") }

// newest returns the newest run of the newest result version.
func newest(list []*runs.Run) *runs.Run {
	return slices.MaxFunc(list, func(a, b *runs.Run) int {
		return cmp.Or(-cmp.Compare(a.Config.Behind(), b.Config.Behind()), a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
}

// meant returns the runs of exp run NAME key=value… with any value of the free settings. If they differ
// in more, by the content of the data or the result version, it returns those like the newest.
func (n *Names) meant(name string, given []string, list []*runs.Run, free []string) []*runs.Run {
	p := n.plan(name, given)
	if p == nil {
		return nil
	}
	other := func(v runs.Value) bool { return !slices.Contains(free, v.Key) }
	done := slices.DeleteFunc(finished(list), func(r *runs.Run) bool {
		c := r.Normalized()
		return slices.ContainsFunc(differing(p, &r.Config), other) && slices.ContainsFunc(differing(p, &c), other)
	})
	if len(done) == 0 {
		return nil
	}
	want := setting(newest(done))
	return slices.DeleteFunc(done, func(r *runs.Run) bool { return setting(r) != want })
}

func finished(list []*runs.Run) []*runs.Run {
	return slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Status.State != runs.Finished })
}

// oneSetting returns runs in the order of their seeds if they differ only in the seed; else nil.
func oneSetting(list []*runs.Run) []*runs.Run {
	if len(list) == 0 {
		return nil
	}
	first := setting(list[0])
	if slices.ContainsFunc(list[1:], func(r *runs.Run) bool { return setting(r) != first }) {
		return nil
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *runs.Run) int { return cmp.Compare(a.Config.Seed(), b.Config.Seed()) })
	return out
}

// setting is equal for runs that differ only in the seed.
func setting(r *runs.Run) string {
	c := r.Normalized()
	return c.WithoutSeeds()
}

// OthersError is the error of a name that means no run, while its experiment has other runs.
type OthersError struct {
	Name  string
	Given []string // key=value
	Meant string   // the settings that the name means, in words; "" if they are wrong
	Other string   // a name of the newest finished run of the experiment, or its ID; "" if none has finished
}

func (e *OthersError) Error() string {
	name := bracketed(e.Name, e.Given)
	if e.Meant == "" {
		return name + " is not enough to train a run"
	}
	return fmt.Sprintf("%s means %s, of which there is no finished run", name, e.Meant)
}

// bracketed is NAME[key=value,…].
func bracketed(name string, given []string) string {
	if len(given) == 0 {
		return name
	}
	return name + "[" + strings.Join(given, ",") + "]"
}

func (n *Names) others(name string, given []string, all []*runs.Run) error {
	e := &OthersError{Name: name, Given: given}
	if done := finished(all); len(done) > 0 {
		c := newest(done).Normalized()
		e.Other = c.ShortID()
		if words := n.Words(&c)[1:]; len(words) > 0 && n.plan(name, words) != nil {
			e.Other = bracketed(name, words)
		}
	}
	if p := n.plan(name, given); p != nil {
		e.Meant = "the experiment with its default settings on " + p.Run.Data.Data
		if len(given) > 0 {
			e.Meant = strings.Join(given, ", ") + " and otherwise the default settings on " + p.Run.Data.Data
		}
	}
	return e
}
