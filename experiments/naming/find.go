package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/experiments"
	"imdbexp/runs"
)

// Runs returns the finished runs under dir that ref means, all of one setting, a seed
// each, in order of their seeds; one that has not finished where it is named by what can
// mean no other. The name of an experiment means what exp run makes of it,
//
//	tme9-lstm                  its default settings on the data at hand
//	tme9-lstm[optimizer=sgd]   the same with this optimiser and what it brings
//
// but any seed, where none is given. Settings of which there is no such run mean those
// that have them, if they are of one setting. Where only others exist the error is an
// OthersError. For all that is no name see runs.Match.
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
	if unknown == nil { // one of an older program may lack a setting that is asked for
		seeded, err := runs.With(all, ofSeed(given))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", ref, err)
		}
		if out := oneSetting(n.meant(name, given, seeded)); out != nil {
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
	return nil, n.others(name, given, all, list)
}

// ofSeed returns the conditions on seeds.
func ofSeed(given []string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(c string) bool {
		return !strings.HasPrefix(c, "seed=") && !strings.HasPrefix(c, "seed!=")
	})
}

// Find returns the one run under dir that ref means: of several seeds the newest.
func (n *Names) Find(dir, ref string) (*runs.Run, error) {
	list, err := n.Runs(dir, ref)
	if err != nil {
		return nil, err
	}
	return newest(list), nil
}

func newest(list []*runs.Run) *runs.Run {
	return slices.MaxFunc(list, func(a, b *runs.Run) int {
		return cmp.Or(a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
}

// meant keeps the runs that exp run NAME key=value… makes with any seed; of those that
// differ by more, the data of the same name or the result version, those like the newest.
func (n *Names) meant(name string, given []string, list []*runs.Run) []*runs.Run {
	p := n.plan(name, given)
	if p == nil {
		return nil
	}
	var out []*runs.Run
	for _, r := range list {
		c := r.Normalized()
		if butSeed(p, &r.Config) || butSeed(p, &c) {
			out = append(out, r)
		}
	}
	done := finished(out)
	if len(done) == 0 {
		return nil
	}
	latest := slices.MaxFunc(done, func(a, b *runs.Run) int {
		return cmp.Or(-cmp.Compare(a.Config.Behind(), b.Config.Behind()), a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
	want := setting(latest)
	return slices.DeleteFunc(done, func(r *runs.Run) bool { return setting(r) != want })
}

// butSeed reports whether a run is as planned but for its seed.
func butSeed(p *planned, c *runs.Config) bool {
	return !slices.ContainsFunc(differing(p, c), func(v runs.Value) bool { return v.Key != "seed" })
}

func finished(list []*runs.Run) []*runs.Run {
	return slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Status.State != runs.Finished })
}

// oneSetting returns runs in order of their seeds if they differ by nothing else; nil
// otherwise, and without any.
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

// setting is equal for seeds of one setting.
func setting(r *runs.Run) string {
	c := r.Normalized()
	return c.Without("seed")
}
