package reproduction

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imdbexp/runs"
)

// Change is something recorded beside a run that is not as it was: a version, the
// machine, a setting.
type Change struct{ What, Kept, Now string }

// Changes lists what is recorded of two runs and differs. None of it may change a
// bit, but for the result version and the settings; where bits differ, it is where
// to look.
func Changes(kept, again *runs.Run) ([]Change, error) {
	before, err := kept.Environments()
	if err != nil {
		return nil, err
	}
	after, err := again.Environments()
	if err != nil {
		return nil, err
	}
	out := changedSettings(&kept.Config, &again.Config)
	add := func(what, a, b string) {
		if a != b {
			out = append(out, Change{what, a, b})
		}
	}
	add("published row", row(kept.Config.Published), row(again.Config.Published))
	add("result version", strconv.Itoa(kept.Config.Result), strconv.Itoa(again.Config.Result))
	for _, f := range facts {
		add(f.what, joined(before, f.of), joined(after, f.of))
	}
	modules := map[string]bool{}
	for _, e := range slices.Concat(before, after) {
		for name := range e.Modules {
			modules[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		of := func(e runs.Environment) string { return e.Modules[name] }
		add(name, joined(before, of), joined(after, of))
	}
	return out, nil
}

// row says what was published, as the run has it.
func row(p *runs.Published) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprintf("%s: %g %%, loss %g; train %g %%, loss %g; %d epochs (%s)", p.Row, p.TestAcc, p.TestLoss, p.TrainAcc, p.TrainLoss, p.Epochs, p.Source)
}

var facts = []struct {
	what string
	of   func(runs.Environment) string
}{
	{"version", func(e runs.Environment) string { return e.Version }},
	{"revision", func(e runs.Environment) string { return e.Revision }},
	{"Go", func(e runs.Environment) string { return e.Go }},
	{"system", func(e runs.Environment) string { return e.OS + "/" + e.Arch }},
	{"CPU", func(e runs.Environment) string { return e.CPU }},
	{"SIMD", func(e runs.Environment) string { return e.SIMD }},
	{"workers", func(e runs.Environment) string { return fmt.Sprint(e.Workers) }},
}

// joined returns the values of all the parts of a run, each once.
func joined(list []runs.Environment, of func(runs.Environment) string) string {
	var out []string
	for _, e := range list {
		if v := of(e); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return "unknown"
	}
	return strings.Join(out, ", then ")
}

// changedSettings compares settings: those that only one of the two versions of
// the program knows, above all.
func changedSettings(kept, now *runs.Config) []Change {
	var out []Change
	seen := map[string]bool{}
	for _, s := range slices.Concat(kept.Settings, now.Settings) {
		if seen[s.Key] {
			continue
		}
		seen[s.Key] = true
		a, inA := kept.Settings.Get(s.Key)
		b, inB := now.Settings.Get(s.Key)
		if a == b && inA == inB || !inA && now.From[s.Key] == "" {
			continue // the same, or one that there was not yet, at its default
		}
		out = append(out, Change{"setting " + s.Key, orNothing(a, inA), orNothing(b, inB)})
	}
	return out
}

func orNothing(value string, there bool) string {
	if !there {
		return "not known"
	}
	return value
}
