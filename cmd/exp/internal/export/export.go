// Package export is exp export: a trained model as one file.
package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

const onnxSuffix = ".onnx"

// New returns exp export.
func New(a *cli.App) *cobra.Command {
	out, by, onnx := "", "", false
	var p pageOptions
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write a trained model as one file, for other programs or as a page",
		Long: `Write the model of a run, as the epoch that counts left it, into one file:
weights, word vectors, vocabulary and settings, without the optimiser. By default
as safetensors, which exp predict reads in place of a run, with no folder beside
it; with --onnx as a graph for onnxruntime and the like, and next to it the
vocabulary as lines. A run that translates is written with --onnx alone, as a graph
that scores the next word. A model that ONNX has no operators for, such as one that
counts n-grams or looks at the source within its recurrence, is refused, with the
reason. docs/formats.md has every field of all. A file is written whole or not at all.

With --page one or several runs, which all classify or all translate, become one HTML
file with their weights and words and this program's own inference, compiled to
WebAssembly: it opens from a disk or any web server in a current browser, offline, and
answers any text with the bits of exp predict and exp attend (docs/page.md). It holds the
--words that are most frequent in the data, of a model that counts n-grams the --ngrams
that move its scores most, and all of those of the reviews that it offers: some of
test, or each --review. What it is compiled from is a checkout of
the sources, with Go; releases have it built in.

--by writes numbers in the place of a model: that score of every word of the run's test
reviews, a line of JSON a review, or NumPy's arrays into a file that ends in .npz. It is
what exp attend --by SCORE --split test writes; there is --split train, too.`,
		Example: "  exp export @last\n  exp export tme9-lstm --out lstm.safetensors\n  exp predict lstm.safetensors reviews.csv\n" +
			"  exp export 'tme9-lstm[optimizer=adam]' --onnx --out lstm.onnx\n  exp export tme9-lstm --by leaveout --out leaveout.jsonl\n" +
			"  exp export tme9-mean tme9-simple tme9-lstm --page attention.html",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("export which run? @last is the last one; such as: %s", a.Command("export", "@last"))
			case len(args) > 1 && p.out == "":
				return fmt.Errorf("%d runs: only --page FILE.html takes several; such as: %s", len(args), a.Command("export", "@last", "--page", "page.html"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckModes(cli.GivenFlags(cmd), modes); err != nil {
				return cli.Usage(err)
			}
			if err := cli.Ending("page", p.out, ".html", ".htm"); err != nil {
				return err
			}
			switch {
			case p.out != "":
				return exportPage(cmd.Context(), a, args, p)
			case by != "":
				return exportScores(cmd.Context(), a, args[0], by, out)
			}
			return export(a, args[0], out, onnx)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "write a `SCORE` of the words of all test reviews: "+cli.OneOf(scores.Names()))
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: NAME-ID"+infer.ExportSuffix+", or "+onnxSuffix+")")
	cmd.Flags().BoolVar(&onnx, "onnx", false, "write a graph for onnxruntime and the like")
	cmd.Flags().StringVar(&p.out, "page", "", "write a page that holds the runs and answers texts, - for standard output")
	cmd.Flags().IntVar(&p.words, "words", 20_000, "words of the page, the most frequent ones; 0 for all")
	cmd.Flags().IntVar(&p.ngrams, "ngrams", 300_000, "n-grams of the page, those that move scores most; 0 for all")
	cmd.Flags().StringSliceVar(&p.reviews, "review", nil, "review that the page offers, such as test/pos/0_10; several, or several times")
	return cmd
}

// modes of the command.
var modes = []cli.Mode{
	{Name: "a model's file", Takes: []string{"out"}},
	{Flags: []string{"onnx"}, Takes: []string{"out"}},
	{Flags: []string{"by"}, Takes: []string{"out"}},
	{Flags: []string{"page"}, Takes: []string{"words", "ngrams", "review"}, Lacks: map[string]string{"out": "names its file itself"}},
}

func export(a *cli.App, ref, out string, onnx bool) error {
	suffix, other := infer.ExportSuffix, onnxSuffix
	if onnx {
		suffix, other = other, suffix
	}
	if strings.HasSuffix(out, other) {
		return cli.Usage(fmt.Errorf("--out %s: exp export writes %s, and with --onnx %s", out, infer.ExportSuffix, onnxSuffix))
	}
	if err := cli.Ending("out", out, suffix); err != nil {
		return err
	}
	run, err := a.RunOf(ref)
	if err != nil {
		return err
	}
	if onnx && run.Config.Task() == runs.Pairs {
		return exportTranslator(a, run, out)
	}
	t, err := readTrained(a, run, infer.ReadRun)
	if err != nil {
		return err
	}
	if out == "" {
		out = t.Config.Name + "-" + t.Config.ID + suffix
	}
	if onnx {
		return exportONNX(a, t, out)
	}
	return exportTo(a, out, t, t.Write)
}

// readTrained reads a run's model, and says so where the run has not finished.
func readTrained(a *cli.App, run *runs.Run, read func(*runs.Run) (*infer.Trained, error)) (*infer.Trained, error) {
	t, err := read(run)
	if errors.Is(err, fs.ErrNotExist) && run.Status.State == runs.Created {
		return nil, fmt.Errorf("%s has no whole epoch yet: there is nothing to export", run.Label())
	}
	if err == nil && run.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: this is its model after epoch %d", run.Label(), run.Status, t.Epoch))
	}
	return t, err
}

// exportONNX writes the graph and, beside it, the words by their ids.
func exportONNX(a *cli.App, t *infer.Trained, out string) error {
	m, err := t.ONNX()
	if err != nil {
		return err
	}
	b, err := m.Encode()
	if err != nil {
		return err
	}
	if err := exportTo(a, out, t, cli.BytesTo(b)); err != nil || out == "-" {
		return err
	}
	words, err := t.Vocabulary()
	if err != nil {
		return err
	}
	beside := strings.TrimSuffix(out, onnxSuffix) + ".vocab.txt"
	if err := cli.WriteFile(beside, cli.BytesTo(append(words, '\n'))); err != nil {
		return err
	}
	a.Say(fmt.Sprintf("wrote %s: the word of id n in line n, from 0", beside), "", "  ")
	return nil
}

// exportTranslator writes the graph of a run that translates.
func exportTranslator(a *cli.App, run *runs.Run, out string) error {
	t, err := translator.Open(run, nil)
	if err != nil {
		return err
	}
	defer t.Close()
	m, err := t.ONNX()
	if err != nil {
		return err
	}
	b, err := m.Encode()
	if err != nil {
		return err
	}
	if out == "" {
		out = run.Config.Name + "-" + run.Config.ID + onnxSuffix
	}
	return writeTo(a.IO, out, cli.BytesTo(b), fmt.Sprintf("%s after epoch %d, with both vocabularies in its metadata", a.Headed(&run.Config), t.Epoch))
}

// exportTo writes a file of the model and says what it holds.
func exportTo(a *cli.App, out string, t *infer.Trained, write func(io.Writer) error) error {
	holds := fmt.Sprintf("vectors of %s words in %d dimensions", format.Thousands(len(t.Table.Words)-1), t.Table.Dim)
	if t.Config.Counts() { // whose words have no vectors
		holds = fmt.Sprintf("weights of n-grams of %s words", format.Thousands(len(t.Table.Words)-1))
	}
	return writeTo(a.IO, out, write, fmt.Sprintf("%s after epoch %d, %s", a.Headed(&t.Config), t.Epoch, holds))
}

func writeTo(o *term.IO, out string, write func(io.Writer) error, what string) error {
	if out == "-" && o.Terminal() {
		return cli.Usage(errors.New("--out -: a model is no text for a terminal; lead it into a pipe or a file"))
	}
	if out == "-" {
		return write(o.Verbatim())
	}
	if err := cli.WriteFile(out, write); err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	o.Say(fmt.Sprintf("wrote %s (%s): %s", out, format.Bytes(info.Size()), what), "", "  ")
	return nil
}
