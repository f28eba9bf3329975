package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/term"
)

func newExport(a *cli.App) *cobra.Command {
	out, train, f := "", 0, vectorFlags{}
	cmd := &cobra.Command{
		Use:   "export VECTORS|PAIRS",
		Short: "Write word vectors or sentence pairs for other programs",
		Long: `Write word vectors as word2vec text: a line with the numbers of words and of
dimensions, then a word and its values a line. VECTORS is the name of an installed
set or a file, whose order is kept, or corpus for those trained on the corpus
itself, by falling count. With --data only the corpus's words are written, by
falling count. Sentence pairs, by the name of their data set, are written as TSV:
source, target and split; of phrases --train can have more pairs to train on, by
the same grammar, or fewer. The file is written whole or not at all.`,
		Example:           "  exp data export corpus --data imdb\n  exp data export glove50 --data imdb --out imdb.vec\n  exp data export corpus --out - | head\n  exp data export phrases --train 6000 --out more.tsv",
		ValidArgsFunction: completeVectors(a),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("export which vectors or sentence pairs? Such as: exp data export corpus --data imdb")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("train") && (train < 1 || train > phrases.MostTrain) {
				return cli.Usage(fmt.Errorf("--train %d: use 1 to %s", train, format.Thousands(phrases.MostTrain)))
			}
			return export(cmd.Context(), a, args[0], out, train, f)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: VECTORS.vec, VECTORS-DATA.vec, PAIRS.tsv)")
	cmd.Flags().IntVar(&train, "train", 0, "of phrases: pairs to train on (default those that are part of the program)")
	f.register(a, cmd)
	return cmd
}

func export(ctx context.Context, a *cli.App, name, out string, train int, f vectorFlags) error {
	if train > 0 && name != phrases.Name {
		return cli.Usage(errors.New("--train is of phrases, whose grammar can write more of them"))
	}
	dir, err := a.Data()
	if err != nil {
		return err
	}
	if err := cmp.Or(cli.NotOnto(out, name), notInstalled(out, dir)); err != nil {
		return err
	}
	if kind, err := folder.KindOf(dir, name); err == nil && kind == folder.PairsKind {
		if f.data != "" {
			return cli.Usage(fmt.Errorf("--data is for vectors: %s are sentence pairs", name))
		}
		return pairsExport(ctx, a.IO, dir, name, out, train)
	}
	if out == "" {
		if strings.ContainsAny(name, `/\.#`) {
			return cli.Usage(errors.New("--out: name the file to write, or - for standard output"))
		}
		out = name + ".vec"
		if f.data != "" {
			out = name + "-" + f.data + ".vec"
		}
	}
	v, err := openVectors(ctx, a, name, f)
	if err != nil {
		return err
	}
	var written vectors.Written
	write := func(w io.Writer) error {
		written, err = vectors.WriteWord2Vec(ctx, w, v)
		return err
	}
	size, err := writeOut(a.IO, out, write)
	if err != nil {
		return err
	}
	if n := len(written.LeftOut); n > 0 {
		a.Warn(fmt.Errorf("left out %s words with spaces, which word2vec text cannot hold, such as %q", format.Thousands(n), written.LeftOut[0]))
	}
	if out == "-" {
		return nil
	}
	a.Say(fmt.Sprintf("wrote %s (%s): %s words, %d dimensions", out, format.Bytes(size), format.Thousands(written.Words), v.Dim), "", "  ")
	return nil
}

// notInstalled refuses to write into the data folder, whose files are what other commands read.
func notInstalled(out, dir string) error {
	if out == "" || out == "-" {
		return nil
	}
	at, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, at); err == nil && filepath.IsLocal(rel) {
		return cli.Usage(fmt.Errorf("--out %s lies in the data folder, where it could take the place of what is installed: name another", out))
	}
	return nil
}

// writeOut writes a file, or to standard output where it is called -, and returns
// the size of the file.
func writeOut(o *term.IO, out string, write func(io.Writer) error) (size int64, err error) {
	if out == "-" {
		return 0, write(o.Verbatim())
	}
	if err := fsx.WriteFile(out, write); err != nil {
		return 0, err
	}
	info, err := os.Stat(out)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
