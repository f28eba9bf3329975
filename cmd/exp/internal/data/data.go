// Package data implements exp data: fetch, add, list and inspect data.
package data

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/vectors"
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
	o, stop := progress.Reading(a.IO, a.Warn)
	defer stop()
	total, bad := 0, 0
	err = folder.Check(ctx, dir, o, func(c folder.Checked) {
		stop()
		if total++; c.Err != nil {
			bad++
		}
		a.Say(checked(a, c))
	})
	switch {
	case err != nil && bad == 0:
		return err
	case total == 0:
		a.Printf("nothing is installed in %s\n", dir)
	case bad > 0:
		return fmt.Errorf("%d of %d items are damaged", bad, total)
	}
	return nil
}

// checked returns the result of a check as a line.
func checked(a *cli.App, c folder.Checked) string {
	if c.Err != nil {
		return fmt.Sprintf("%s: damaged: %v. Remove it (%s) and fetch or add it again", c.Name, c.Err, a.Command("data", "remove", c.Name))
	}
	text := fmt.Sprintf("%s: intact, digest %s", c.Name, c.Digest)
	switch c.Published {
	case "":
		return text
	case c.Digest:
		return text + ", as published"
	}
	return text + ", differs from the published data"
}

func newNeighbors(a *cli.App) *cobra.Command {
	n, as := 10, ""
	cmd := &cobra.Command{
		Use:   "neighbors VECTORS WORD…",
		Short: "Show the words with the nearest vectors",
		Long: `Show the words whose vectors are nearest to that of each word, by cosine. VECTORS is
an installed set, a file, or corpus for vectors of 50 dimensions trained on the default data.
Words joined by a separate + or - are summed, each scaled to length 1: king - man + woman.`,
		Example: "  exp data neighbors glove50 good awful\n  exp data neighbors glove50 king - man + woman -n 3\n  exp data neighbors corpus brilliant",
		Args:    cli.Words(2, 0, "name the vectors and a word, such as: exp data neighbors glove50 good"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return cli.Usagef("-n %d: want 1 or more", n)
			}
			return neighbors(cmd.Context(), a, args[0], sums(args[1:]), n, as)
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", n, "number of neighbors")
	cli.FormatFlag(cmd, &as, cli.ListFormats)
	return cmd
}

// openVectors opens a set of vectors: an installed one, a file, or corpus.
func openVectors(ctx context.Context, a *cli.App, name string) (*vectors.Set, error) {
	if name == "random" {
		return nil, cli.Usagef("random vectors have no meaning: choose an installed set, a file, or corpus")
	}
	dir, auto, err := a.Auto()
	if err != nil {
		return nil, err
	}
	reading, training, stop := progress.Watching(a.IO)
	defer stop()
	o := folder.Options{Extra: name == "corpus", Warn: a.Warn, Progress: reading}
	if name != "corpus" {
		return folder.Vectors(ctx, dir, name, nil, o)
	}
	c, err := folder.Corpus(ctx, dir, auto.Data, o)
	if err != nil {
		return nil, err
	}
	return folder.CorpusVectors(ctx, dir, c, corpusvec.Options{Dim: 50, Workers: a.Workers, Progress: training}, o)
}

// sum is a sum of words, and how it was typed.
type sum struct {
	typed string
	terms []vectors.Term
}

// sums splits words into sums: a + or - between two words joins them.
func sums(words []string) (out []sum) {
	for i := 0; i < len(words); i++ {
		s := sum{words[i], []vectors.Term{{Word: words[i]}}}
		for i+2 < len(words) && (words[i+1] == "+" || words[i+1] == "-") {
			s.terms = append(s.terms, vectors.Term{Word: words[i+2], Minus: words[i+1] == "-"})
			s.typed += " " + words[i+1] + " " + words[i+2]
			i += 2
		}
		out = append(out, s)
	}
	return out
}

func neighbors(ctx context.Context, a *cli.App, name string, sums []sum, n int, as string) error {
	v, err := openVectors(ctx, a, name)
	if err != nil {
		return err
	}
	space := vectors.NewSpace(v)
	t := term.NewTable(term.Left("of"), term.Left("word"), term.Right("cosine"))
	for _, s := range sums {
		found, err := space.Nearest(ctx, n, s.terms...)
		if err != nil {
			return err
		}
		for _, k := range found {
			t.Add(s.typed, k.Word, fmt.Sprintf("%.4f", k.Cosine))
		}
	}
	return cli.PrintTable(a.IO, as, t)
}

func newExport(a *cli.App) *cobra.Command {
	out, train := "", 0
	cmd := &cobra.Command{
		Use:   "export PAIRS",
		Short: "Write sentence pairs for other programs",
		Long: `Write sentence pairs as TSV: source, target and split. The pairs of phrases come from a
grammar: --train sets how many training pairs to write.`,
		Example: "  exp data export phrases\n  exp data export phrases --train 6000 --out more.tsv",
		Args:    cli.Words(1, 1, "name the sentence pairs to export, such as: exp data export phrases"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch given := cmd.Flags().Changed("train"); {
			case given && (train < 1 || train > phrases.MostTrain):
				return cli.Usagef("--train %d: use 1 to %s", train, format.Thousands(phrases.MostTrain))
			case given && args[0] != phrases.Name:
				return cli.Usagef("--train is only for phrases: a grammar makes their pairs")
			}
			return export(cmd.Context(), a, args[0], cmp.Or(out, args[0]+".tsv"), train)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: PAIRS.tsv)")
	cmd.Flags().IntVar(&train, "train", 0, "number of training pairs of phrases (default: the built-in ones)")
	return cmd
}

// export writes sentence pairs as TSV. For phrases, n > 0 is the number of training pairs.
func export(ctx context.Context, a *cli.App, name, out string, n int) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	if strings.ContainsAny(name, `/\`) {
		return cli.Usagef("%s: name installed sentence pairs; exp data list shows them", name)
	}
	train, test, err := folder.PairTexts(ctx, dir, name, nil)
	if err != nil {
		return err
	}
	if n > 0 {
		train = phrases.ToTrain(n)
	}
	what := fmt.Sprintf("%s to train on, %s to test on", format.Counted(len(train), "pair"), format.Thousands(len(test)))
	return cli.Write(a.IO, out, what, func(w io.Writer) error { return pairs.WriteTSV(w, train, test) })
}
