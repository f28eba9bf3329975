package runs

import (
	"errors"
	"fmt"
	"slices"

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

func newSize(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "du",
		Short:   "Show the size of runs",
		Example: "  exp runs du",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return printSize(a) },
	}
}

func printSize(a *cli.App) error {
	list, err := a.ListRuns()
	if err != nil {
		return err
	}
	t := term.NewTable(term.Column{Head: "what"}, term.Column{Head: "runs", Right: true}, term.Column{Head: "size", Right: true})
	var names []string
	counts, sizes := map[string]int{}, map[string]int64{}
	var total int64
	for _, r := range list {
		name := r.Config.Name
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
		sizes[name] += r.Size()
	}
	slices.Sort(names)
	for _, name := range names {
		t.Add(name, format.Thousands(counts[name]), bytes(a.IO, sizes[name]))
		total += sizes[name]
	}
	store := runs.StoreSize(a.Runs)
	t.Add("words and vectors, shared", format.Optional(nil, 0), bytes(a.IO, store))
	t.Add("total", format.Thousands(len(list)), bytes(a.IO, total+store))
	t.Print(a.IO)
	if !a.IO.Terminal() {
		return nil
	}
	freed := int64(0)
	quick, _ := runs.FindUnused(a.Runs, true) // exp runs gc reports the error
	for _, u := range quick {
		freed += u.Bytes
	}
	if freed > 0 {
		cli.Next(a.IO, [][2]string{{a.Command("runs", "gc"), "frees " + format.Bytes(freed) + " that no run needs"}})
	}
	return nil
}
