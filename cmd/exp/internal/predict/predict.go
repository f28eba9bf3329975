// Package predict is exp predict: which class does a model predict for each text?
package predict

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

type options struct {
	format  string
	columns tables.Options
	out     string
	given   func(flag string) bool
	beam    int // for translations; 0 is the run's own
}

// formats are the formats of package tables by their names for --format.
var formats = map[string]tables.Format{
	"text": tables.Plain, "lines": tables.Lines, "csv": tables.CSV, "tsv": tables.TSV, "jsonl": tables.JSONL, "parquet": tables.Parquet,
}

var formatNames = []string{"text", "lines", "csv", "tsv", "jsonl", "parquet"}

const long = `Predict the class of each review of a file with a run's model. RUN can also be a file from
exp export. If it names several seeds, the one with the median test accuracy predicts.

FILE has one review a line, or is CSV, TSV, JSONL or Parquet with a column of texts, or a
folder with one sub-folder for each class. - or nothing reads standard input; data=NAME
takes the test reviews of a data set. The output has one line for each review
(docs/formats.md).

The summary is printed on standard error: shares of the classes, unknown words and, if
there are labels (docs/data.md has their names), accuracy and other measures. A warning
says how many reviews of a file the run was trained on.

Runs that translate (group seq2seq) print each sentence's translation and its
log-probability. A reference can follow the sentence after a tab.`

// New returns exp predict.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "predict RUN [FILE|-|data=NAME]",
		Short: "Predict the classes of reviews, or translate sentences",
		Long:  long,
		Example: "  exp predict tme9-lstm reviews.csv > predictions.tsv\n  echo 'a great film' | exp predict @last -\n" +
			"  exp predict tme9-simple data=imdb --out simple.tsv\n  exp predict tme9-lstm mine.jsonl --text-column body\n" +
			"  echo 'the red carpet' | exp predict seq2seq-bahdanau --beam 8",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("beam") && o.beam < 1 || o.beam > maxBeam:
				return fmt.Errorf("--beam %d: want 1 to %d", o.beam, maxBeam)
			case len(args) == 0:
				return errors.New("name a run; @last is the newest")
			case len(args) > 2:
				return fmt.Errorf("%q is one word too many: exp predict reads one file; for a text use %s", args[2], a.Command("attend", args[0], "a great film"))
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cli.GivenFlags(cmd)
			return predict(cmd.Context(), a, args[0], append(args, "-")[1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "`FORMAT` of FILE: "+cli.OneOf(formatNames))
	f.StringVar(&o.columns.Columns[tables.Text], "text-column", "", "`COLUMN` of the reviews (default: text, review, …)")
	f.StringVar(&o.columns.Columns[tables.Label], "label-column", "", "`COLUMN` of the labels (default: label, stars, …)")
	f.StringVar(&o.columns.Columns[tables.ID], "id-column", "", "`COLUMN` of the names (default: id, else numbers)")
	f.StringVar(&o.columns.Header, "header", "", "`yes`, no, or the columns' names (default: detected)")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` to write (default, or -: standard output)")
	f.IntVar(&o.beam, "beam", 0, "beam of `N` translations, 1: greedy (default: as the run)")
	return cmd
}

func (o *options) check() error {
	if o.format != "" && formats[o.format] == "" {
		return fmt.Errorf("--format %s: use %s%s", o.format, strings.Join(formatNames, ", "), settings.Nearest(o.format, formatNames))
	}
	return o.columns.Check()
}

// predictor predicts the texts of an input.
type predictor interface {
	file(ctx context.Context, name string) error // a file, or standard input (-)
	data(ctx context.Context, name string) error // the test set of a data set
	summary()
}

func predict(ctx context.Context, a *cli.App, ref, input string, o options) error {
	data, isData := strings.CutPrefix(input, "data=")
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column", "header"); isData && f != "" {
		return cli.Usagef("--%s is for a file: omit it with data=NAME", f)
	}
	if !isData && input != "-" {
		if err := readable(a, ref, input); err != nil {
			return cmp.Or(cli.NoModel(ref), err) // RUN may be wrong, too
		}
	}
	if err := cli.NotOnto(o.out, ref, input); err != nil {
		return err
	}
	found, err := modelview.Open(ctx, a, ref)
	if err != nil {
		return err
	}
	defer found.Close()
	if o.beam != 0 && found.Model != nil {
		return cli.Usagef("--beam is for runs that translate (group seq2seq)")
	}
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column"); found.Model == nil && f != "" {
		return cli.Usagef("--%s is for runs that classify reviews; a file to translate has one sentence a line, with an optional reference after a tab", f)
	}
	found.WarnUnfinished(a)
	a.Complain(fmt.Sprintf("%s (%s): weights of epoch %d", found.Label(), a.Names().About(&found.Config), found.Epoch))
	out := &output{App: a, run: found.Run, o: o, screen: o.out == "" && a.Terminal(), start: time.Now()}
	var p predictor
	if found.Translator != nil {
		p = &translating{output: out, model: found.Translator}
	} else {
		p = &predicting{output: out, model: found.Model, score: &labelScore{stats.NewScores(len(found.Model.Classes)), newLabels(found.Model.Classes)}, classes: map[int]int{}}
	}
	err = cli.WriteTo(a.IO, o.out, func(w io.Writer) error {
		out.out = bufio.NewWriterSize(w, 1<<16)
		work := func() error { return p.file(ctx, input) }
		if isData {
			work = func() error { return p.data(ctx, data) }
		}
		if err := work(); err != nil {
			return err
		}
		return out.out.Flush()
	})
	switch {
	case tables.NoColumn(err):
		return cli.Usage(err)
	case err != nil:
		return err
	}
	if a.Terminal() {
		fmt.Fprintln(a.Err)
	}
	p.summary()
	return nil
}

// output writes predictions, and counts the texts.
type output struct {
	*cli.App
	run    *runs.Run
	o      options
	screen bool // aligned columns; else TSV
	out    *bufio.Writer
	start  time.Time

	texts, words, unknown int
}

// spent describes how many texts were read, and how long that took.
func (w *output) spent(what string) string {
	return fmt.Sprintf("%s, %s, in %s", format.Counted(w.texts, what), format.Counted(w.words, "word"), format.Clock(time.Since(w.start).Seconds()))
}

// limit returns the number of test texts to predict of each class: data.limit of the run for its own
// data set, else 0 for all.
func (w *output) limit(data string) int {
	if data == w.run.Config.Data.Name {
		return w.run.Config.General().Limit
	}
	return 0
}

// readable checks the name of a file before the model is opened.
func readable(a *cli.App, ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return err
	case file == "" || strings.Contains(file, " "):
		return cli.Usagef("%q is not a file. For a text: echo … | %s, or %s", term.Cut(file, modelview.Longest), a.Command("predict", ref, "-"), a.Command("attend", ref, cmp.Or(file, "…")))
	case !strings.ContainsAny(file, `./\`):
		return fmt.Errorf("there is no file %s; for a data set use data=%[1]s", file)
	}
	return err
}

// records reads the records of a file, or of standard input (-). what is their name in the
// prompt of a terminal.
func records(ctx context.Context, io *term.IO, name, what string, o tables.Options, record func(tables.Record) error) (tables.How, error) {
	if name == "-" {
		if io.Typed() {
			fmt.Fprintf(io.Err, "exp: reading %s from the terminal, one a line; Ctrl-D ends\n", what)
		}
		return tables.ReadFrom(ctx, io.In, "standard input", o, record)
	}
	if flowing(name) {
		f, err := os.Open(name)
		if err != nil {
			return tables.How{}, err
		}
		defer f.Close()
		return tables.ReadFrom(ctx, f, name, o, record)
	}
	return tables.Read(ctx, name, o, record)
}

// flowing reports whether a name can be read only once: standard input (-), or a pipe such
// as <(zcat reviews.csv.Z).
func flowing(name string) bool {
	if name == "-" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
