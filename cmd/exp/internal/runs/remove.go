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
		Long: `Remove runs: the files of a run, and its folder if it is then empty.

A name of several runs needs --all. A run that is being trained is not removed. Words
and vectors, which runs share, stay; exp runs gc removes the unused ones.`,
		Example: `  exp runs rm 4f2a91
  exp runs rm tme9-lstm --all --dry-run`,
		Args:              cli.Words(1, 0, "name a run: exp runs list shows them"),
		ValidArgsFunction: a.CompleteRuns,
		RunE:              func(_ *cobra.Command, refs []string) error { return remove(a, refs, all, dryRun) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove all runs of a name")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func remove(a *cli.App, refs []string, all, dryRun bool) error {
	for _, ref := range refs { // all are checked before any is removed
		list, err := runs.Match(a.Runs, ref)
		if err != nil && runs.IsFolder(ref) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; it may not be a run: delete the folder yourself if you do not need it", err)
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
			a.Printf("  kept %s, which is not a file of the run\n", term.Line(path))
		}
	}
	return errors.Join(errs...)
}

// labels lists the first runs by name and ID.
func labels(list []*runs.Run, limit int) string {
	var out []string
	for _, r := range list[:min(limit, len(list))] {
		out = append(out, r.Label())
	}
	if n := len(list) - limit; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}

func newUnused(a *cli.App) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove files that no run needs any more",
		Long: `Remove files that no run needs any more: words and vectors that no run has used for an
hour, the second checkpoint of finished runs, and files of processes that died.

If a run cannot be read, all words and vectors stay.`,
		Example: "  exp runs gc --dry-run",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return unused(a, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func unused(a *cli.App, dryRun bool) error {
	list, err := runs.FindUnused(a.Runs, false)
	if runs.NoFiles(err) {
		return err
	}
	a.Warn(err)
	said := "removed"
	if dryRun {
		said = "would remove"
	}
	var errs []error
	var freed int64
	for _, u := range list {
		if !dryRun {
			if err := u.Remove(); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		freed += u.Bytes
		a.Say(fmt.Sprintf("%s %s (%s, %s)", said, term.Line(u.Path), u.Why, format.Bytes(u.Bytes)), "", "  ")
	}
	a.Say(fmt.Sprintf("%s %s in all", said, format.Bytes(freed)), "", "  ")
	return errors.Join(errs...)
}
