// Package export is exp export: a trained model as one file.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

const onnxSuffix = ".onnx"

// New returns exp export.
func New(a *cli.App) *cobra.Command {
	out, page, words, graph, card := "", "", 0, false, false
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write a trained model as a file, or as a page",
		Long: `Write the trained model of a run into one file: weights, word vectors, vocabulary
and settings. By default it is in safetensors format, and exp predict reads it like a
run. With --onnx it is a graph for onnxruntime, with the vocabulary next to it; models
that count n-grams have none. docs/formats.md describes every field.

--card adds README.md, a model card for the Hugging Face hub.

--page writes one HTML file, which opens in a browser, offline, and answers any text like
exp predict and exp attend (docs/page.md). It takes a release, or Go and a checkout.`,
		Example: "  exp export @last\n  exp export tme9-lstm --out lstm.safetensors\n  exp predict lstm.safetensors reviews.csv\n" +
			"  exp export 'tme9-lstm[optimizer=adam]' --onnx --out lstm.onnx\n  exp export tme9-lstm --card --out lstm\n" +
			"  exp export tme9-mean tme9-simple tme9-lstm --page attention.html",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("name a run to export; @last is the last one: %s", a.Command("export", "@last"))
			case len(args) > 1 && page == "":
				return fmt.Errorf("%d runs: only --page FILE.html takes several: %s", len(args), a.Command("export", "@last", "--page", "page.html"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckModes(cli.GivenFlags(cmd), modes); err != nil {
				return cli.Usage(err)
			}
			if err := cli.Ending("page", page, ".html", ".htm"); err != nil {
				return err
			}
			if page != "" {
				return exportPage(cmd.Context(), a, args, page, words)
			}
			return export(a, args[0], out, graph, card)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: NAME-ID"+infer.ExportSuffix+", or "+onnxSuffix+"); with --card the folder")
	cmd.Flags().BoolVar(&graph, "onnx", false, "write a graph for onnxruntime and the like")
	cmd.Flags().BoolVar(&card, "card", false, "write a folder with the model and README.md, its card")
	cmd.Flags().StringVar(&page, "page", "", "write a page that answers texts, - for standard output")
	cmd.Flags().IntVar(&words, "words", 20_000, "max words of each run, the most frequent; 0 for all, and all n-grams")
	return cmd
}

// modes of the command.
var modes = []cli.Mode{
	{Name: "a model's file", Takes: []string{"out", "card"}},
	{Flags: []string{"onnx"}, Takes: []string{"out", "card"}},
	{Flags: []string{"page"}, Takes: []string{"words"}},
}

func export(a *cli.App, ref, out string, asGraph, withCard bool) error {
	suffix := infer.ExportSuffix
	if asGraph {
		suffix = onnxSuffix
	}
	switch {
	case !withCard:
		if err := cli.Ending("out", out, suffix); err != nil {
			return err
		}
	case out == "-" || cli.NamedLikeFile(out):
		return cli.Usagef("--out %s: with --card, --out names a folder, which gets model%s and %s", out, suffix, cardFile)
	}
	if out == "-" && a.Terminal() {
		return cli.Usagef("--out -: a model is binary data, not text for a terminal; use a pipe or a file")
	}
	run, err := a.RunOf(ref)
	if err != nil {
		return err
	}
	name := run.Config.Name + "-" + run.Config.ID
	if !withCard {
		out = cmp.Or(out, name+suffix)
	} else if out, err = cardFolder(cmp.Or(out, name), suffix); err != nil {
		return err
	}
	read := infer.Read
	if asGraph {
		read = infer.ReadRun
	}
	t, err := readTrained(a, run, read)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s after epoch %d, %s", a.Headed(&t.Config), t.Epoch, holds(t))
	if !asGraph {
		err = cli.Write(a.IO, out, what, t.Write)
	} else {
		err = exportGraph(a, t, out, what)
	}
	if err != nil && withCard {
		os.Remove(filepath.Dir(out)) // unless there are files in it
	}
	if err != nil || !withCard {
		return err
	}
	return writeCard(a, run, t, out)
}

// holds describes the words of a model's file.
func holds(t *infer.Trained) string {
	switch {
	case t.Languages != nil:
		return fmt.Sprintf("vocabularies of %s and %s words", format.Thousands(len(t.Languages.Source)), format.Thousands(len(t.Languages.Target)))
	case t.Config.Counts(): // whose words have no vectors
		return fmt.Sprintf("weights of n-grams of %s words", format.Thousands(len(t.Table.Words)-1))
	}
	return fmt.Sprintf("vectors of %s words in %d dimensions", format.Thousands(len(t.Table.Words)-1), t.Table.Dim)
}

// exportGraph writes a model as a graph, with its vocabulary.
func exportGraph(a *cli.App, t *infer.Trained, out, what string) error {
	m, err := t.ONNX()
	if err != nil {
		return err
	}
	graph, err := m.Encode()
	if err != nil {
		return err
	}
	if err := cli.Write(a.IO, out, what, cli.BytesTo(graph)); err != nil || out == "-" {
		return err
	}
	vocabulary := strings.TrimSuffix(out, onnxSuffix) + ".vocab.txt"
	if err := cli.WriteFile(vocabulary, cli.BytesTo(append(t.Vocabulary(), '\n'))); err != nil {
		return err
	}
	a.Say(fmt.Sprintf("wrote %s: the word with ID n is in line n, counted from 0", vocabulary))
	return nil
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

// exportPage writes a page of the runs.
func exportPage(ctx context.Context, a *cli.App, refs []string, out string, words int) error {
	switch {
	case words < 0:
		return cli.Usagef("--words %d: use 1 or more, or 0 for all", words)
	case out == "-" && a.Terminal():
		return cli.Usagef("--page -: a page is too long for a terminal; use a pipe or a file")
	}
	if out != "-" {
		if err := cli.Writable(out); err != nil {
			return err
		}
	}
	var list []*runs.Run
	for _, ref := range refs {
		run, err := a.RunOf(ref)
		if err != nil {
			return err
		}
		if run.Config.Task() == runs.Texts {
			_, err := infer.ReadRun(run) // the error gives the reason
			return err
		}
		if slices.ContainsFunc(list, func(r *runs.Run) bool { return r.Config.ID == run.Config.ID }) {
			return cli.Usagef("%s is given twice", run.Label())
		}
		list = append(list, run)
	}
	title := "exp: " + list[0].Config.Name
	for _, run := range list[1:] {
		if title = "exp: models side by side"; run.Config.Task() != list[0].Config.Task() {
			return cli.Usagef("%s and %s: one translates sentences, the other classifies reviews; write a separate page for each", list[0].Label(), run.Label())
		}
	}
	p := &offline.Page{Title: title, Version: runs.NewEnvironment("", 0, nil).Build()}
	dir, err := a.Installed()
	if err != nil {
		return err
	}
	if p.Examples, err = page.Offered(ctx, dir, list[0]); err != nil { // a page can do without them
		a.Warn(fmt.Errorf("the page offers no texts of the run's data: %w", err))
	}
	var known []string
	for _, r := range p.Examples {
		known = append(known, r.Text)
	}
	for _, run := range list {
		r, err := pageRun(a, run, words, known)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, *r)
	}
	program, err := offline.Find(ctx)
	if err != nil {
		return err
	}
	what := format.Counted(len(p.Runs), "run") + "; it opens in a browser, offline"
	return cli.Write(a.IO, out, what, func(w io.Writer) error { return p.Write(w, program) })
}

// maxNgrams limits the n-grams of a page to those that change scores most.
const maxNgrams = 300_000

// pageRun reads a run for the page.
func pageRun(a *cli.App, run *runs.Run, words int, known []string) (*offline.Run, error) {
	t, err := readTrained(a, run, infer.Read)
	if err != nil {
		return nil, err
	}
	r := &offline.Run{Trained: t, Folder: run}
	if t.Languages != nil {
		r.Of = len(t.Languages.Source)
		return r, nil
	}
	r.Of = len(t.Table.Words) - 1
	if !run.Config.Counts() {
		if err := t.CutWords(words, known...); err != nil {
			return nil, err
		}
		if n := len(t.Table.Words) - 1; n < r.Of {
			a.Say(fmt.Sprintf("%s: %s of %s words, the most frequent ones and those of the page's reviews (--words 0 takes all)", run.Label(), format.Thousands(n), format.Thousands(r.Of)))
		}
	}
	kept, of, err := t.CutNgrams(map[bool]int{false: maxNgrams}[words == 0], known...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	if kept < of {
		a.Say(fmt.Sprintf("%s: the %s n-grams that change its scores most, of %s (--words 0 takes all)", run.Label(), format.Thousands(kept), format.Thousands(of)))
	}
	return r, nil
}
