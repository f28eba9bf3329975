package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// Facts returns the data of a run and their digests.
func Facts(c *runs.Config) []Fact {
	out := []Fact{{Key: "name", Value: c.Data.Name}}
	for _, part := range []struct {
		name string
		runs.Part
	}{{"training", c.Data.Train}, {"validation", c.Data.Valid}, {"test", c.Data.Test}} {
		if part.Reviews > 0 {
			value := fmt.Sprintf("%s %s, %s words", format.Thousands(part.Reviews), c.Data.Unit(), format.Thousands(part.Words))
			if part.Targets > 0 {
				value += fmt.Sprintf(" and %s of the translations", format.Thousands(part.Targets))
			}
			out = append(out, Fact{Key: part.name, Value: value})
		}
	}
	if len(c.Classes) > 0 {
		out = append(out, Fact{Key: "classes", Value: strings.Join(c.Classes, ", "), Class: "text"})
	}
	out = append(out, Fact{Key: "model", Value: c.Model}, Fact{Key: "result version", Value: fmt.Sprint(c.Result)})
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		out = append(out, Fact{Key: "digest of " + k, Value: c.Digests[k], Class: "mono digest"})
	}
	return out
}

// environmentsOf returns the environments of a run's sessions; none if the file is damaged.
func environmentsOf(r *report.Result) []runs.Environment {
	all, _ := r.Run.Environments()
	return all
}

// environments returns the machines and versions that trained the seeds, each once.
func environments(c *tables.Cell) []pageEnvironment {
	var out []pageEnvironment
	for _, r := range c.Runs {
		for _, e := range environmentsOf(r) {
			p := pageEnvironment{Program: Program(e), Machine: Machine(e), Seeds: fmt.Sprint(r.Config.Seed())}
			i := slices.IndexFunc(out, func(o pageEnvironment) bool { return o.Program == p.Program && o.Machine == p.Machine })
			if i < 0 {
				out = append(out, p)
			} else if seeds := strings.Split(out[i].Seeds, ", "); !slices.Contains(seeds, p.Seeds) {
				out[i].Seeds += ", " + p.Seeds
			}
		}
	}
	return out
}

// Program names the version and the revision that trained, and the modules it was built from.
func Program(e runs.Environment) string {
	out := []string{e.Build(), e.Go}
	for _, m := range slices.Sorted(maps.Keys(e.Modules)) {
		out = append(out, m[strings.LastIndex(m, "/")+1:]+" "+e.Modules[m])
	}
	return strings.Join(out, ", ")
}

// Machine describes the processor that trained.
func Machine(e runs.Environment) string {
	return fmt.Sprintf("%s, %s/%s, %s, %s", e.CPU, e.OS, e.Arch, e.SIMD, format.Counted(e.Workers, "worker"))
}
