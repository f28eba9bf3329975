package data

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
)

func newCheck(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check that the installed data is undamaged",
		Long: `Read every byte of the installed data, without the cache. Compare the digest of the
content with the one recorded when it was added, and with that of the published data
if it is known.`,
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
		a.Say(Checked(a, c), "", "  ")
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

// Checked returns the result of a check as a line.
func Checked(a *cli.App, c folder.Checked) string {
	if c.Err != nil {
		where := "data=" + c.Name
		if c.Kind == folder.VectorsKind {
			where = "vectors=" + c.Name
		}
		return fmt.Sprintf("%s: damaged: %v. Remove it (%s) and fetch or add it again", where, c.Err, a.Command("data", "remove", c.Name))
	}
	text := fmt.Sprintf("%s: sound, digest %s", c.Name, c.Digest)
	switch {
	case c.Published != "" && c.Digest == c.Published:
		return text + ", as published"
	case c.Published != "":
		text += ", differs from the published data"
	}
	if c.Recorded != "" {
		return text + ", as when it was added"
	}
	return text + "; no digest was recorded: it was put there by hand"
}
