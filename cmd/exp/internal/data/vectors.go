package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
)

// vectorFlags are the flags of commands that take a set of vectors.
type vectorFlags struct {
	data, tokens string
	dim          int
	given        func(flag string) bool
}

func (f *vectorFlags) register(a *cli.App, cmd *cobra.Command) {
	flags := cmd.Flags()
	f.given = flags.Changed
	flags.StringVar(&f.data, "data", "", "corpus whose words to use (default: all words of the vectors; for corpus the default data of exp run)")
	flags.StringVar(&f.tokens, "tokens", token.Default, "tokeniser of the corpus: "+cli.OneOf(token.Names()))
	flags.IntVar(&f.dim, "dim", 50, "dimensions of vectors trained on the corpus")
	cmd.RegisterFlagCompletionFunc("data", completeInstalled(a, []folder.Kind{folder.CorpusKind}, "sample"))
}

// openVectors opens a set of vectors: an installed one, a file, or corpus.
func openVectors(ctx context.Context, a *cli.App, name string, f vectorFlags) (*vectors.Set, error) {
	if name == "random" {
		return nil, cli.Usage(errors.New("random vectors have no meaning: choose an installed set, a file, or corpus"))
	}
	if _, err := token.Get(f.tokens); err != nil {
		return nil, cli.Usage(err)
	}
	if f.dim < 10 || f.dim > 1000 {
		return nil, cli.Usage(fmt.Errorf("--dim %d: choose 10 to 1000", f.dim))
	}
	if name != "corpus" && f.given("dim") {
		return nil, cli.Usage(fmt.Errorf("--dim %d: %s has its own dimensions: omit --dim, or use corpus", f.dim, name))
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return nil, err
	}
	reading, training, stop := progress.Watching(a.IO)
	defer stop()
	o := folder.Options{Tokenizer: f.tokens, Extra: name == "corpus", Warn: a.Warn, Progress: reading}
	if name != "corpus" && f.data == "" {
		return folder.Vectors(ctx, dir, name, nil, o)
	}
	c, err := folder.Corpus(ctx, dir, cmp.Or(f.data, auto.Data), o)
	if err != nil {
		return nil, err
	}
	if name == "corpus" {
		return folder.CorpusVectors(ctx, dir, c, corpusvec.Options{Dim: f.dim, Workers: a.Workers, Progress: training}, o)
	}
	return folder.Vectors(ctx, dir, name, c, o)
}

// completeInstalled completes the names of installed data of some kinds, and more names.
func completeInstalled(a *cli.App, kinds []folder.Kind, more ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := more
		if dir, err := a.Data(); err == nil {
			items, _ := folder.Installed(dir)
			for _, i := range items {
				if slices.Contains(kinds, i.Kind) {
					names = append(names[:len(names):len(names)], i.Name)
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
