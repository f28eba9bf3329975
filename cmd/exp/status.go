package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/format"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// showStatus is the output of exp alone: data, the last run, and what to type next.
func showStatus(a *cli.App) error {
	dir, auto, err := a.Auto()
	if err != nil {
		return err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	have := []string{"sample", phrases.Name}
	for _, i := range items {
		have = append(have, i.Name)
	}
	list, err := a.ListRuns()
	if err != nil {
		return err
	}
	all := [2]string{a.Command("list"), "all experiments"}
	last, next := "none yet in "+a.Runs, [][2]string{{a.Command("run", "tme9-lstm", "data=sample"), "train on the sample, under a minute"}, all}
	if n := len(list); n > 0 {
		r := list[n-1]
		last = fmt.Sprintf("%s, %s", r.Label(), r.Present())
		m, err := r.Chosen()
		if score := r.Config.Task().Score.Of(&m); err == nil && score != nil {
			last += ", test " + format.Optional(score, 2) + " %"
		}
		if t := r.Time(); !t.IsZero() {
			last += ", started " + format.Ago(time.Since(t))
		}
		next = [][2]string{{a.Command("report"), "all runs and the published results"}, {a.Command("show", "@last"), "the last run"}, all}
	}
	for _, row := range [][2]string{
		{"data", fmt.Sprintf("%s, in %s", strings.Join(have, ", "), dir)}, {"", fmt.Sprintf("exp run takes %s (%s)", auto.Data, auto.Why)}, {"last run", last},
	} {
		a.Say(row[1], fmt.Sprintf("%-10s", row[0]), strings.Repeat(" ", 10))
	}
	a.Printf("\n")
	cli.Next(a.IO, next)
	return nil
}

// showVersions prints the versions of the program, of Go and of the engine.
func showVersions(a *cli.App) {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	say := func(what, text string) { a.Say(text, fmt.Sprintf("%-10s", what), strings.Repeat(" ", 10)) }
	say("imdbexp", e.Build())
	say("revision", cmp.Or(e.Revision, "unknown: built outside a checkout"))
	say("result", fmt.Sprintf("version %d: runs of the same version and ID have the same numbers", runs.ResultVersion))
	say("go", fmt.Sprintf("%s %s/%s", e.Go, e.OS, e.Arch))
	for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
		say("engine", name+" "+e.Modules[name])
	}
	say("CPU", e.CPU)
	say("SIMD", strings.Join(cli.Levels(), ", "))
}
