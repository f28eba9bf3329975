// Package predict is exp predict: which class does a model predict for each text?
package predict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/tables"
	"imdbexp/internal/settings"
)

type options struct {
	format  string
	columns tables.Options
	limit   int
	out     string
	as      string // format of the output; "" depends on terminal or pipe
	given   func(flag string) bool
	beam    int // for translations; 0 is the run's own
}

// formats are the formats of package tables by their names for --format.
var formats = map[string]tables.Format{
	"text": tables.Plain, "lines": tables.Lines, "csv": tables.CSV, "tsv": tables.TSV, "jsonl": tables.JSONL, "parquet": tables.Parquet,
}

var (
	formatNames = []string{"text", "lines", "csv", "tsv", "jsonl", "parquet"}
	outFormats  = []string{"tsv", "jsonl"}
)

const long = `Predict the class of each review of a file with a run's model. RUN can also be a file from
exp export. If it names several seeds, the one with the median test accuracy predicts.

FILE has one review a line, or is CSV, TSV, JSONL or Parquet with a column of texts, or a
folder with one sub-folder for each class. - or nothing reads standard input; data=NAME
takes the test reviews of a data set. The output has one line for each review: its name,
label, predicted class, words, entropy of the attention and the probabilities.

The summary is printed on standard error: shares of the classes, unknown words and, if
there are labels, accuracy and other measures. Labels are class names in any case. For the
classes neg and pos, labels can also be negative, bad, false, positive, good, true, and
numbers of a file, if there are only 0 and 1, or -1 and 1. Stars are not classes. A
warning says how many of the texts the run was trained on.

Runs that translate (group seq2seq) print each sentence's translation and its
log-probability. A reference can follow the sentence after a tab.

docs/guide explains more, docs/formats.md describes the output.`

// New returns exp predict.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "predict RUN [FILE|-|data=NAME]",
		Short: "Predict the classes of reviews, or translate sentences",
		Long:  long,
		Example: "  exp predict tme9-lstm reviews.csv > predictions.tsv\n  echo 'a great film' | exp predict @last -\n" +
			"  exp predict tme9-simple data=imdb --out simple.tsv\n  exp predict tme9-lstm mine.jsonl --text-column body --out-format jsonl\n" +
			"  echo 'the red carpet' | exp predict seq2seq-bahdanau --beam 8",
		ValidArgsFunction: a.CompleteRuns,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("beam") && o.beam < 1 || o.beam > maxBeam:
				return fmt.Errorf("--beam %d: want 1 to %d", o.beam, maxBeam)
			case len(args) == 0:
				return errors.New("name a run; @last is the newest")
			case len(args) > 2:
				return fmt.Errorf("only one file at a time: remove %s. For a text use %s", args[2], a.Command("attend", args[0], "a great film"))
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cli.GivenFlags(cmd)
			return predict(cmd.Context(), a, args[0], append(args, "-")[1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "of FILE: "+cli.OneOf(formatNames)+" (default: detected); lines begin with their label")
	f.StringVar(&o.columns.Columns[tables.Text], "text-column", "", "column of the reviews (default: text, review, sentence, …)")
	f.StringVar(&o.columns.Columns[tables.Label], "label-column", "", "column of the labels (default: label, sentiment, stars, … where there is one)")
	f.StringVar(&o.columns.Columns[tables.ID], "id-column", "", "column of the reviews' names (default: id where there is one, else they are numbered)")
	f.StringVar(&o.columns.Header, "header", "", "whether the first row of a table names its columns: yes or no (default: detected)")
	f.StringVar(&o.columns.Encoding, "encoding", "", "utf-8, latin1 or windows-1252 (default utf-8)")
	f.BoolVar(&o.columns.KeepEntities, "keep-entities", false, "leave HTML entities such as &quot; as they are (default: decode them)")
	f.IntVar(&o.limit, "limit", 0, "of data=NAME: the first N reviews of each class, 0 for all (default: as the run, on its own data)")
	f.StringVarP(&o.out, "out", "o", "", "file to write (default, or -: standard output)")
	f.StringVar(&o.as, "out-format", "", "tsv or jsonl (default tsv)")
	f.IntVar(&o.beam, "beam", 0, "for translations: beam of width `N`, 1 for greedy (default: as the run)")
	return cmd
}

func (o *options) check() error {
	switch {
	case o.format != "" && formats[o.format] == "":
		return fmt.Errorf("--format %s: use %s%s", o.format, strings.Join(formatNames, ", "), settings.Nearest(o.format, formatNames))
	case o.as != "" && !slices.Contains(outFormats, o.as):
		return fmt.Errorf("--out-format %s: use tsv or jsonl", o.as)
	case o.limit < 0:
		return fmt.Errorf("--limit %d: want 0 or more", o.limit)
	}
	return o.columns.Check()
}

func predict(ctx context.Context, a *cli.App, ref, input string, o options) error {
	data, isData := strings.CutPrefix(input, "data=")
	if err := o.fits(isData); err != nil {
		return cli.Usage(err)
	}
	if !isData && input != "-" {
		if err := readable(a, ref, input); err != nil {
			if noModel := cli.NoModel(ref); noModel != nil { // RUN is wrong, too
				return noModel
			}
			return err
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
		return cli.Usage(errors.New("--beam is for runs that translate (group seq2seq)"))
	}
	found.WarnUnfinished(a)
	run := found.Run
	if found.Translator != nil {
		return translateAll(ctx, a, run, found.Translator, input, o)
	}
	fmt.Fprintln(a.IO.Err, a.Wrap(fmt.Sprintf("%s (%s): weights of epoch %d", run.Label(), a.Names().About(&run.Config), found.Epoch), "", "  "))
	p := &predicting{App: a, run: run, model: found.Model, o: o, score: newLabelScore(found.Model.Classes), start: time.Now()}
	work := func(w io.Writer) error {
		p.to(w)
		if isData {
			return p.data(ctx, data)
		}
		return p.file(ctx, input)
	}
	if err := cli.WriteTo(a.IO, o.out, work); tables.NoColumn(err) {
		return cli.Usage(err)
	} else if err != nil {
		return err
	}
	p.summary()
	return nil
}

// fits refuses flags that have no effect on the input.
func (o *options) fits(isData bool) error {
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column", "header", "encoding", "keep-entities"); isData && f != "" {
		return fmt.Errorf("--%s is for a file: leave it out with data=NAME", f)
	}
	if !isData && o.given("limit") {
		return errors.New("--limit is for data=NAME; of a file take the first lines with head")
	}
	return nil
}
