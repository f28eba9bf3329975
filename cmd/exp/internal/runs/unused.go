package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
	"imdbexp/runs"
)

func (a *app) runsUnusedCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove what no run needs any more",
		Long: `Remove what no run needs any more: words and vectors in the store that no run refers
to and that have not been used for an hour, the second checkpoint of finished runs
whose first is whole, and files left by processes that died.

While there are runs that cannot be read, all words and vectors stay.`,
		Example: "  exp runs gc --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.runsUnused(dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func (a *app) runsUnused(dryRun bool) error {
	list, err := runs.FindUnused(a.runs)
	a.warn(err)
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
		a.printf("%s %s (%s, %s)\n", said, u.Path, u.Why, fileSize(u.Bytes))
	}
	a.printf("%s %s in all\n", said, fileSize(freed))
	return errors.Join(errs...)
}

func (a *app) runsSizeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "du",
		Short:   "Show how much room runs take",
		Example: "  exp runs du",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.runsSize() },
	}
}

func (a *app) runsSize() error {
	list, err := runs.List(a.runs)
	a.warn(err)
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
		t.Add(name, thousands(counts[name]), a.size(sizes[name]))
		total += sizes[name]
	}
	store := runs.StoreSize(a.runs)
	t.Add("words and vectors, shared", number(nil, 0), a.size(store))
	t.Add("total", thousands(len(list)), a.size(total+store))
	if err := t.Print(a.io); err != nil || !a.io.Terminal() {
		return err
	}
	if freed := runs.UnusedSize(a.runs); freed > 0 {
		a.commands([][2]string{{a.command("runs", "gc"), "frees " + fileSize(freed) + " that no run needs"}})
	}
	return nil
}
