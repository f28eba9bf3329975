package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

func newRemove(a *cli.App) *cobra.Command {
	var all, dryRun bool
	cmd := &cobra.Command{
		Use:     "rm RUN…",
		Aliases: []string{"remove"},
		Short:   "Remove runs",
		Long: `Remove runs: the files that a run writes, and its folder when nothing else is in it.

A name that stands for several runs needs --all. A run that a process is at is not
removed. The words and vectors that runs share stay; exp runs gc removes those that
no run uses any more.`,
		Example: `  exp runs rm 4f2a91
  exp runs rm tme9-lstm --all --dry-run`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("which runs? %s shows them", a.Command("runs", "list"))
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, refs []string) error { return remove(a, refs, all, dryRun) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also where a name stands for several runs")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func remove(a *cli.App, refs []string, all, dryRun bool) error {
	for _, ref := range refs { // all are checked before any is removed
		list, err := runs.Match(a.Runs, ref)
		if err != nil && runs.IsFolder(ref) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; whether it is a run cannot be told: if it is not needed, delete the folder itself", err)
		}
		if err != nil {
			return err
		}
		if len(list) > 1 && !all {
			return cli.Usage(fmt.Errorf("%q names %d runs: --all removes them all, or name one by its ID: %s", ref, len(list), labels(list, 5)))
		}
	}
	list, err := matching(a, refs)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range list {
		size := format.Bytes(r.Size())
		if dryRun {
			a.Say(fmt.Sprintf("would remove %s (%s, %s)", term.Line(r.Path), r.Status, size), "", "  ")
			continue
		}
		left, err := r.Remove()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.Say(fmt.Sprintf("removed %s (%s)", term.Line(r.Path), size), "", "  ")
		for _, path := range left {
			a.Printf("  left %s, which is not a run's\n", term.Line(path))
		}
	}
	return errors.Join(errs...)
}

// labels lists the first runs by name and ID.
func labels(list []*runs.Run, most int) string {
	var out []string
	for _, r := range list[:min(most, len(list))] {
		out = append(out, r.Label())
	}
	if n := len(list) - most; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}
