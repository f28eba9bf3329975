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
		Long: `Write the trained model of a run into one file: weights, word vectors, vocabulary
and settings, without the optimiser. By default the file is in safetensors format,
and exp predict reads it like a run. With --onnx it is a graph for onnxruntime, and
the vocabulary is written next to it; a run that translates needs --onnx. Some models
have no ONNX graph, such as those that count n-grams. docs/formats.md describes every
field.

With --page you get one HTML file with one or several runs and this program's
inference, compiled to WebAssembly. It opens in a browser, offline, and answers any
text like exp predict and exp attend (docs/page.md). --words and --ngrams limit its
vocabulary. It offers some test reviews, or each --review. Compiling it takes Go and a
checkout of the sources; releases contain it.`,
		Example: "  exp export @last\n  exp export tme9-lstm --out lstm.safetensors\n  exp predict lstm.safetensors reviews.csv\n" +
			"  exp export 'tme9-lstm[optimizer=adam]' --onnx --out lstm.onnx\n" +
			"  exp export tme9-mean tme9-simple tme9-lstm --page attention.html",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("name a run to export; @last is the last one: %s", a.Command("export", "@last"))
			case len(args) > 1 && p.out == "":
				return fmt.Errorf("%d runs: only --page FILE.html takes several: %s", len(args), a.Command("export", "@last", "--page", "page.html"))
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
				return cli.Usage(fmt.Errorf("--by moved to exp attend: %s", a.Command("attend", args[0], "--by", by, "--split", "test", "--out", "FILE")))
			}
			return export(a, args[0], out, onnx)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "moved to exp attend --by SCORE --split test")
	_ = cmd.Flags().MarkHidden("by")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: NAME-ID"+infer.ExportSuffix+", or "+onnxSuffix+")")
	cmd.Flags().BoolVar(&onnx, "onnx", false, "write a graph for onnxruntime and the like")
	cmd.Flags().StringVar(&p.out, "page", "", "write a page that holds the runs and answers texts, - for standard output")
	cmd.Flags().IntVar(&p.words, "words", 20_000, "words of the page, the most frequent ones; 0 for all")
	cmd.Flags().IntVar(&p.ngrams, "ngrams", 300_000, "n-grams of the page, those that change scores most; 0 for all")
	cmd.Flags().StringSliceVar(&p.reviews, "review", nil, "review that the page offers, such as test/pos/0_10; repeat the flag for several")
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

// readTrained reads a run's model and warns if the run has not finished.
func readTrained(a *cli.App, run *runs.Run, read func(*runs.Run) (*infer.Trained, error)) (*infer.Trained, error) {
	t, err := read(run)
	if errors.Is(err, fs.ErrNotExist) && run.Status.State == runs.Created {
		return nil, fmt.Errorf("%s has no whole epoch yet, so there is no model to export", run.Label())
	}
	if err == nil && run.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: this is its model after epoch %d", run.Label(), run.Status, t.Epoch))
	}
	return t, err
}

// exportONNX writes the graph and, next to it, the words by their IDs.
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
	vocabulary := strings.TrimSuffix(out, onnxSuffix) + ".vocab.txt"
	if err := cli.WriteFile(vocabulary, cli.BytesTo(append(words, '\n'))); err != nil {
		return err
	}
	a.Say(fmt.Sprintf("wrote %s: the word with ID n is in line n, counted from 0", vocabulary), "", "  ")
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

// exportTo writes a file of the model and describes its content.
func exportTo(a *cli.App, out string, t *infer.Trained, write func(io.Writer) error) error {
	holds := fmt.Sprintf("vectors of %s words in %d dimensions", format.Thousands(len(t.Table.Words)-1), t.Table.Dim)
	if t.Config.Counts() { // whose words have no vectors
		holds = fmt.Sprintf("weights of n-grams of %s words", format.Thousands(len(t.Table.Words)-1))
	}
	return writeTo(a.IO, out, write, fmt.Sprintf("%s after epoch %d, %s", a.Headed(&t.Config), t.Epoch, holds))
}

func writeTo(o *term.IO, out string, write func(io.Writer) error, what string) error {
	if out == "-" && o.Terminal() {
		return cli.Usage(errors.New("--out -: a model is binary data, not text for a terminal; use a pipe or a file"))
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
