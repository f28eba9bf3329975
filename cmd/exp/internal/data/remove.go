package data

import (
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
)

func newRemove(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove data from the data folder",
		Long: `Remove data from the data folder, with its unfinished downloads and its cache: imdb,
your own data or vectors by name, glove50, or glove for GloVe vectors of all
dimensions. Runs that used it are not changed.`,
		Example: "  exp data remove glove50",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("name the data to remove; %s lists what is installed", a.Command("data", "list"))
			case len(args) > 1:
				return fmt.Errorf("remove takes one name; %s is another", args[1])
			}
			return nil
		},
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.CorpusKind, folder.PairsKind, folder.ProbeKind, folder.VectorsKind}, "glove"),
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
