package data

import (
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/install"
)

func newRemove(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Take data out of the data folder",
		Long: `Take data out of the data folder, with what was begun to be fetched of it and what
the cache keeps about it: imdb, your own data or vectors by their name, glove50, or
glove for GloVe vectors of all dimensions. Runs that used it stay as they are.`,
		Example: "  exp data remove glove50",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("remove what? %s lists what is installed", a.Command("data", "list"))
			case len(args) > 1:
				return fmt.Errorf("one at a time: %s is too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: installedNames(a),
		RunE: func(_ *cobra.Command, names []string) error {
			dir, err := a.Data()
			if err != nil {
				return err
			}
			gone, err := install.Remove(dir, names[0])
			for _, path := range gone {
				a.Printf("removed %s\n", path)
			}
			return err
		},
	}
}
