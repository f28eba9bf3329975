// Package runs implements exp runs: list and remove runs.
package runs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// New returns exp runs.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List and remove runs",
		Long: `List and remove runs.

Only files of runs are removed, and never those of a run that is being trained.`,
		Args: cli.OnlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(a), newRemove(a), newUnused(a))
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	var where []string
	cmd := &cobra.Command{
		Use:        "list [RUN…]",
		Short:      "List runs: state, epochs, settings, result, size",
		SuggestFor: []string{"du"},
		Long: `List runs: state, epochs, result, size, the process that trains them, and the settings
in which they differ from their experiment, such as optimizer=sgd.

The name of an experiment means all its runs. --where keeps the runs that have a
setting (optimizer=sgd) or do not have it (optimizer!=sgd).`,
		Example: `  exp runs list
  exp runs list tme9-lstm --where optimizer=sgd --where variant!=original
  exp runs list | awk -F'\t' '$2 == "unfinished"'`,
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, refs []string) error { return list(a, refs, where) },
	}
	cmd.Flags().StringArrayVar(&where, "where", nil, "only runs with this setting, `KEY=VALUE` or KEY!=VALUE; may be given several times")
	return cmd
}

func list(a *cli.App, refs, where []string) error {
	list, err := matching(a, refs)
	if err != nil {
		return err
	}
	if list, err = runs.With(list, where); err != nil {
		return cli.Usage(fmt.Errorf("--where: %w", err))
	}
	if len(list) == 0 && a.IO.Terminal() {
		a.Printf("there are no %sruns in %s\n", map[bool]string{true: "such "}[len(where) > 0], a.Runs)
		return nil
	}
	t := term.NewTable(term.Column{Head: "run"}, term.Column{Head: "state"}, term.Column{Head: "epoch", Right: true, Optional: 1},
		term.Column{Head: "seed", Right: true}, term.Column{Head: "test", Right: true},
		term.Column{Head: "size", Right: true, Optional: 4}, term.Column{Head: "started", Optional: 3}, term.Column{Head: "settings"})
	for _, r := range list {
		state, test := result(a, r)
		t.Add(r.Label(), state, epochs(r), strconv.FormatUint(r.Config.Seed(), 10),
			test, bytes(a.IO, r.Size()), moment(a.IO, r.Time()), settings(a, r))
	}
	t.Print(a.IO)
	if !a.IO.Terminal() {
		return nil
	}
	size := int64(0)
	for _, r := range list {
		size += r.Size()
	}
	a.Say(fmt.Sprintf("%s in all, and %s of words and vectors that runs share; %s frees what no run needs",
		format.Bytes(size), format.Bytes(runs.StoreSize(a.Runs)), a.Command("runs", "gc")), "", "  ")
	return nil
}

// epochs returns the epochs that are done and requested; a converged solver needs fewer.
func epochs(r *runs.Run) string {
	if r.Converged() {
		return strconv.Itoa(r.Status.Epoch)
	}
	return fmt.Sprintf("%d/%d", r.Status.Epoch, r.Status.Epochs)
}

// settings returns the settings in which a run differs from its experiment; the seed has a column.
func settings(a *cli.App, r *runs.Run) string {
	var out []string
	for _, v := range a.Names().Settings(&r.Config) {
		if v.Key != "seed" {
			out = append(out, v.Key+"="+v.Value)
		}
	}
	return strings.Join(out, " ")
}

// matching returns the runs of the refs, each once, or all runs without refs. Runs that cannot be read
// are warnings.
func matching(a *cli.App, refs []string) ([]*runs.Run, error) {
	if len(refs) == 0 {
		return a.ListRuns()
	}
	var out []*runs.Run
	seen := map[string]bool{}
	for _, ref := range refs {
		list, err := runs.Match(a.Runs, ref)
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

// result returns the state of a run and its test accuracy in percent (exact match for translations) of
// the chosen epoch. Damage is also a warning.
func result(a *cli.App, r *runs.Run) (state, test string) {
	s := r.Status
	ends, err := r.Ends()
	if err != nil && s.State != runs.Damaged {
		s.State, s.Message = runs.Damaged, err.Error()
	}
	test = format.Optional(nil, 2)
	if ends.Chosen != nil {
		test = format.Optional(r.Config.Task().Score.Of(ends.Chosen), 2)
	}
	if held := r.Held(); held != nil {
		return fmt.Sprintf("training, process %d on %s", held.PID, held.Host), test
	}
	if s.State == runs.Damaged {
		a.Warn(fmt.Errorf("%s is %s; %s says how to fix it", r.Label(), s, a.Command("doctor")))
	}
	return s.State.String(), test
}

// bytes formats a size for people, or for programs in a pipe.
func bytes(io *term.IO, n int64) string {
	if io.Terminal() {
		return format.Bytes(n)
	}
	return strconv.FormatInt(n, 10)
}

// moment formats a time in the same way.
func moment(io *term.IO, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case io.Terminal():
		return format.Ago(time.Since(t))
	}
	return t.Format(time.RFC3339)
}
