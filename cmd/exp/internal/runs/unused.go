package runs

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

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
