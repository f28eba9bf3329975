package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/format"
)

func newExport(a *cli.App) *cobra.Command {
	out, train, f := "", 0, vectorFlags{}
	cmd := &cobra.Command{
		Use:   "export VECTORS|PAIRS",
		Short: "Write word vectors or sentence pairs for other programs",
		Long: `Write word vectors as word2vec text: a line with the numbers of words and dimensions,
then one line per word with its values. VECTORS is an installed set or a file, written
in its order, or corpus for vectors trained on the corpus, most frequent words first.
With --data only the words of that corpus are written, most frequent first. Sentence
pairs are written as TSV: source, target and split. The pairs of phrases come from a
grammar: --train sets how many training pairs to write.`,
		Example:           "  exp data export corpus --data imdb\n  exp data export glove50 --data imdb --out imdb.vec\n  exp data export corpus --out - | head\n  exp data export phrases --train 6000 --out more.tsv",
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.VectorsKind}, "corpus"),
		Args:              cli.Words(1, 1, "name the vectors or sentence pairs to export, such as: exp data export corpus --data imdb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("train") && (train < 1 || train > phrases.MostTrain) {
				return cli.Usage(fmt.Errorf("--train %d: use 1 to %s", train, format.Thousands(phrases.MostTrain)))
			}
			return export(cmd.Context(), a, args[0], out, train, f)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: VECTORS.vec, VECTORS-DATA.vec, PAIRS.tsv)")
	cmd.Flags().IntVar(&train, "train", 0, "number of training pairs of phrases (default: the built-in ones)")
	f.register(a, cmd)
	return cmd
}

func export(ctx context.Context, a *cli.App, name, out string, train int, f vectorFlags) error {
	if train > 0 && name != phrases.Name {
		return cli.Usage(errors.New("--train is for phrases only, whose pairs come from a grammar"))
	}
	dir, err := a.Data()
	if err != nil {
		return err
	}
	if err := cli.NotOnto(out, name); err != nil {
		return err
	}
	kind, err := folder.KindOf(dir, name)
	pairs := err == nil && kind == folder.PairsKind
	switch {
	case pairs && f.data != "":
		return cli.Usage(fmt.Errorf("--data is for vectors: %s are sentence pairs", name))
	case pairs:
		out = cmp.Or(out, name+".tsv")
	case out == "" && strings.ContainsAny(name, `/\.#`):
		return cli.Usage(errors.New("--out: name the file to write, or - for standard output"))
	case f.data != "":
		out = cmp.Or(out, name+"-"+f.data+".vec")
	default:
		out = cmp.Or(out, name+".vec")
	}
	var to func(io.Writer) error
	var what string
	if pairs {
		to, what, err = pairsWriter(ctx, dir, name, train)
	} else {
		to, what, err = vectorsWriter(ctx, a, name, f)
	}
	if err != nil {
		return err
	}
	return cli.Write(a.IO, out, what, to)
}

// pairsWriter returns a function that writes sentence pairs as TSV, and their number in words. For
// phrases, n > 0 is the number of training pairs.
func pairsWriter(ctx context.Context, dir, name string, n int) (func(io.Writer) error, string, error) {
	train, test, err := folder.PairTexts(ctx, dir, name, nil)
	if n > 0 {
		train = phrases.ToTrain(n)
	}
	what := fmt.Sprintf("%s to train on, %s to test on", format.Counted(len(train), "pair"), format.Thousands(len(test)))
	return func(w io.Writer) error { return pairs.WriteTSV(w, train, test) }, what, err
}

// vectorsWriter returns a function that writes vectors as word2vec text, and their number in words.
func vectorsWriter(ctx context.Context, a *cli.App, name string, f vectorFlags) (func(io.Writer) error, string, error) {
	v, err := openVectors(ctx, a, name, f)
	if err != nil {
		return nil, "", err
	}
	omitted := v.Spaced()
	if n := len(omitted); n > 0 {
		a.Warn(fmt.Errorf("omitted %s words with spaces, which word2vec text cannot have, such as %q", format.Thousands(n), omitted[0]))
	}
	what := fmt.Sprintf("%s words, %d dimensions", format.Thousands(len(v.Words)-len(omitted)), v.Dim)
	return func(w io.Writer) error { return vectors.WriteWord2Vec(ctx, w, v) }, what, nil
}
