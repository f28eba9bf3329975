// Package data is exp data: what is there to train on?
package data

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/sample"
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
		RunE:    func(*cobra.Command, []string) error { return list(a) },
	}
	cmd.AddCommand(newFetch(a), newAdd(a), newList(a), newInfo(a), newCheck(a), newRemove(a))
	cmd.AddCommand(newNeighbors(a), newExport(a))
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List installed data and unfinished downloads",
		Example: "  exp data list",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return list(a) },
	}
}

func list(a *cli.App) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	noted, err := folder.Records(dir)
	a.Warn(err) // only a column is missing
	begun, err := fetch.ListUnfinished(dir)
	if err != nil {
		return err
	}
	t := term.NewTable(term.Column{Head: "name"}, term.Column{Head: "what"}, term.Column{Head: "holds", Optional: 1},
		term.Column{Head: "size", Right: true}, term.Column{Head: "file"})
	train, test := sample.Reviews()
	t.Add("sample", string(folder.CorpusKind), holds(folder.Item{Kind: folder.CorpusKind}, folder.Record{Train: len(train), Test: len(test)}), "–", "part of the program")
	t.Add(phrases.Name, string(folder.PairsKind), holds(folder.Item{Kind: folder.PairsKind}, folder.Record{Train: phrases.TrainPairs, Test: phrases.TestPairs}), "–", "part of the program")
	for _, i := range items {
		size := format.Bytes(i.Bytes)
		if i.Bytes == 0 {
			size = "folder"
		}
		t.Add(i.Name, string(i.Kind), holds(i, noted[filepath.Base(i.Path)]), size, i.Path)
	}
	for _, u := range begun {
		size := format.Bytes(u.Bytes)
		if u.Total >= 0 {
			size += " of " + format.Bytes(u.Total)
		}
		t.Add(u.Name, "unfinished", "–", size, u.Path)
	}
	return t.Print(a.IO)
}

// holds returns the size of a data set or of vectors, "–" if it was not recorded.
func holds(i folder.Item, r folder.Record) string {
	switch {
	case i.Kind == folder.CorpusKind && r.Train > 0:
		return fmt.Sprintf("%s + %s reviews", format.Thousands(r.Train), format.Thousands(r.Test))
	case i.Kind == folder.PairsKind && r.Train > 0:
		return fmt.Sprintf("%s + %s pairs", format.Thousands(r.Train), format.Thousands(r.Test))
	case i.Kind == folder.ProbeKind && r.Test > 0:
		return format.Counted(r.Test, "pair")
	case i.Kind == folder.VectorsKind && r.Words > 0:
		return format.Thousands(r.Words) + " words"
	}
	return "–"
}
