// Package data implements exp data: fetch, add, list and inspect data.
package data

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// New returns exp data.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "Fetch, add, list and inspect data",
		Example: "  exp data fetch\n  exp data info imdb",
		Args:    cli.OnlyCommands,
		RunE:    func(*cobra.Command, []string) error { return list(a, "text") },
	}
	cmd.AddCommand(newFetch(a), newAdd(a), newList(a), newInfo(a), newCheck(a), newRemove(a))
	cmd.AddCommand(newNeighbors(a), newExport(a))
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List installed data",
		Example: "  exp data list\n  exp data list --format json",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return list(a, format) },
	}
	cli.FormatFlag(cmd, &format, cli.ListFormats)
	return cmd
}

func list(a *cli.App, as string) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	t := term.NewTable(term.Left("name"), term.Left("kind"), term.Right("bytes"), term.Left("file"))
	bytes := func(n int64) string { return strconv.FormatInt(n, 10) }
	if as == "text" && a.Terminal() {
		bytes = format.Bytes
	}
	const built = "part of the program"
	for _, i := range append([]folder.Item{{Name: "sample", Kind: folder.CorpusKind, Path: built}, {Name: phrases.Name, Kind: folder.PairsKind, Path: built}}, items...) {
		t.Add(i.Name, string(i.Kind), map[bool]string{true: bytes(i.Bytes)}[i.Bytes > 0], i.Path)
	}
	return cli.PrintTable(a.IO, as, t)
}

func newRemove(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove data from the data folder",
		Long:    "Remove data from the data folder, with its cache; glove means GloVe vectors of all dimensions.",
		Example: "  exp data remove glove50",
		Args:    cli.Words(1, 1, "name the data to remove; exp data list shows what is installed"),
		RunE: func(_ *cobra.Command, names []string) error {
			dir, err := a.Data()
			if err != nil {
				return err
			}
			gone, err := folder.Remove(dir, names[0])
			for _, path := range gone {
				a.Printf("removed %s\n", path)
			}
			return err
		},
	}
}

func newCheck(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "Check that the installed data is undamaged",
		Long:    "Read every byte of the installed data, and compare its digest with that of the published data.",
		Example: "  exp data check",
		Args:    cli.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return check(cmd.Context(), a) },
	}
}

func check(ctx context.Context, a *cli.App) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	reading, _, stop := progress.Watching(a.IO)
	defer stop()
	total, bad := 0, 0
	err = folder.Check(ctx, dir, folder.Options{Warn: a.Warn, Progress: reading}, func(c folder.Checked) {
		stop()
		if total++; c.Err != nil {
			bad++
		}
		a.Say(checked(a, c), "", "  ")
	})
	switch {
	case err != nil && bad == 0:
		return err
	case total == 0:
		a.Printf("nothing is installed in %s\n", dir)
	case bad > 0:
		return fmt.Errorf("%d of %d are damaged", bad, total)
	}
	return nil
}

// checked returns the result of a check as a line.
func checked(a *cli.App, c folder.Checked) string {
	if c.Err != nil {
		return fmt.Sprintf("%s: damaged: %v. Remove it (%s) and fetch or add it again", c.Name, c.Err, a.Command("data", "remove", c.Name))
	}
	text := fmt.Sprintf("%s: sound, digest %s", c.Name, c.Digest)
	switch c.Published {
	case "":
		return text
	case c.Digest:
		return text + ", as published"
	}
	return text + ", differs from the published data"
}
