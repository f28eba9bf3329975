package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
	"imdbexp/runs"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, measure and remove runs",
		Long: `List, measure and remove runs.

Nothing is removed that is no run's, and nothing of a run that a process is at.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.runsListCommand(), a.runsRemoveCommand(), a.runsUnusedCommand(), a.runsSizeCommand())
	return cmd
}

func (a *app) runsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [RUN…]",
		Short: "List runs: state, epochs, result, size, who trains them",
		Example: `  exp runs list
  exp runs list tme9-lstm
  exp runs list | awk -F'\t' '$2 == "unfinished"'`,
		ValidArgsFunction: a.completeRuns,
		RunE:              func(_ *cobra.Command, refs []string) error { return a.runsList(refs) },
	}
}

func (a *app) runsList(refs []string) error {
	list, err := a.matching(refs)
	if err != nil {
		return err
	}
	if len(list) == 0 && a.io.Terminal() {
		a.printf("there are no runs in %s\n", a.runs)
		return nil
	}
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "state"}, term.Column{Head: "epoch", Right: true},
		term.Column{Head: "seed", Right: true, Optional: 2}, term.Column{Head: "test", Right: true, Optional: 1},
		term.Column{Head: "size", Right: true, Optional: 4}, term.Column{Head: "started", Optional: 3})
	for _, r := range list {
		t.Add(r.Label(), state(r), fmt.Sprintf("%d/%d", r.Status.Epoch, r.Status.Epochs), strconv.FormatUint(r.Config.Seed(), 10),
			testAccuracy(r), a.size(r.Size()), a.moment(r.Time()))
	}
	return t.Print(a.io)
}

// matching returns the runs that refs name, each once, all without refs. What
// cannot be read is a warning.
func (a *app) matching(refs []string) ([]*runs.Run, error) {
	if len(refs) == 0 {
		list, err := runs.List(a.runs)
		a.warn(err)
		return list, nil
	}
	var out []*runs.Run
	seen := map[string]bool{}
	for _, ref := range refs {
		list, err := runs.Match(a.runs, ref)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if !seen[r.Path] {
				seen[r.Path] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// state is a run's state in a word or two.
func state(r *runs.Run) string {
	if held := r.Held(); held != nil {
		return fmt.Sprintf("training, process %d on %s", held.PID, held.Host)
	}
	return string(r.Status.State)
}

// testAccuracy is that of the epoch that counts, of translations exact match, in
// percent.
func testAccuracy(r *runs.Run) string {
	m, err := r.Chosen()
	if err != nil {
		return number(nil, 2)
	}
	return number(m.Score(), 2)
}

// size prints bytes for people, or in a pipe for programs.
func (a *app) size(n int64) string {
	if a.io.Terminal() {
		return fileSize(n)
	}
	return strconv.FormatInt(n, 10)
}

// moment prints when something was, the same way.
func (a *app) moment(t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case a.io.Terminal():
		return ago(time.Since(t))
	}
	return t.Format(time.RFC3339)
}
