package main

import (
	"fmt"
	"strings"
	"time"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// status is exp alone: what is there, and what to type.
func (a *app) status() error {
	dir, auto, err := a.auto()
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
	list, err := runs.List(a.runs)
	a.warn(err) // the others are good
	last, next := "none yet in "+a.runs, [][2]string{
		{a.command("run", "tme9-lstm"), "train, under a minute on the sample"},
		{a.command("list"), "all experiments"},
	}
	if n := len(list); n > 0 {
		r := list[n-1]
		last = fmt.Sprintf("%s, %s%s", r.Label(), r.Status, score(r))
		if t := r.Time(); !t.IsZero() {
			last += ", started " + ago(time.Since(t))
		}
		next = [][2]string{{a.command("report"), "all runs beside the published table"}, {a.command("show", "@last"), "the last run"}, next[1]}
	}
	a.row("data", fmt.Sprintf("%s, in %s", strings.Join(have, ", "), dir))
	a.row("", fmt.Sprintf("exp run takes %s (%s)", auto.Data, auto.Why))
	a.row("SIMD", simd.Current().String()+" (of "+strings.Join(levels(), ", ")+")")
	a.row("workers", fmt.Sprint(a.workers))
	a.row("last run", last)
	a.printf("\n")
	a.commands(next)
	return nil
}

func (a *app) row(name, text string) {
	a.printf("%s\n", a.wrap(text, fmt.Sprintf("%-10s", name), strings.Repeat(" ", 10)))
}

// commands prints commands and what they are for.
func (a *app) commands(list [][2]string) {
	width := 0
	for _, l := range list {
		width = max(width, term.Width(l[0]))
	}
	a.printf("next:\n")
	narrow := a.io.Width() > 0 && width+4+24 > a.io.Width()
	for _, l := range list {
		if narrow {
			a.printf("  %s\n%s\n", l[0], a.wrap(l[1], "      ", "      "))
			continue
		}
		a.printf("%s\n", a.wrap(l[1], fmt.Sprintf("  %-*s  ", width, l[0]), strings.Repeat(" ", width+4)))
	}
}

// score returns a run's test accuracy, or exact match, for a list, or "".
func score(r *runs.Run) string {
	m, err := r.Chosen()
	if err != nil || m.Score() == nil {
		return ""
	}
	return ", test " + number(m.Score(), 2) + " %"
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}
