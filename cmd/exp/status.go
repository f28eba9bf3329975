package main

import (
	"fmt"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
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
		last = fmt.Sprintf("%s, %s%s", r.Label(), r.Present(), score(r))
		if t := r.Time(); !t.IsZero() {
			last += ", started " + format.Ago(time.Since(t))
		}
		next = [][2]string{{a.Command("report"), "all runs and the published results"}, {a.Command("show", "@last"), "the last run"}, all}
	}
	row(a.IO, "data", fmt.Sprintf("%s, in %s", strings.Join(have, ", "), dir))
	row(a.IO, "", fmt.Sprintf("exp run takes %s (%s)", auto.Data, auto.Why))
	row(a.IO, "last run", last)
	a.Printf("\n")
	cli.Next(a.IO, next)
	return nil
}

func row(io *term.IO, name, text string) {
	io.Say(text, fmt.Sprintf("%-10s", name), strings.Repeat(" ", 10))
}

// score returns a run's test accuracy, or exact match, for a list, or "".
func score(r *runs.Run) string {
	m, err := r.Chosen()
	if score := r.Config.Task().Score.Of(&m); err == nil && score != nil {
		return ", test " + format.Optional(score, 2) + " %"
	}
	return ""
}
