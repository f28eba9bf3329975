// Package predict is exp predict: what does a model say of these texts?
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
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

type options struct {
	format   string
	columns  tables.Options
	limit    int
	out      string
	as       string // form of the output; "" is that for a terminal or a pipe
	noLookup bool
	given    func(flag string) bool
	beam     int // of runs that translate; 0 is the run's own
	top      int // of runs that translate: translations of each sentence; 0 is the best alone
}

// formats are what --format calls the formats of package tables.
var formats = map[string]tables.Format{
	"text": tables.Plain, "lines": tables.Lines, "csv": tables.CSV, "tsv": tables.TSV, "jsonl": tables.JSONL, "parquet": tables.Parquet,
}

var (
	formatNames = []string{"text", "lines", "csv", "tsv", "jsonl", "parquet"}
	outFormats  = []string{"tsv", "jsonl"}
)

const long = `Predict the classes of reviews with a run's model. RUN may also be a file that
exp export has written.

FILE has a review a line, or is CSV, TSV, JSONL or Parquet with a column of texts
and maybe one of labels and one of names, or a folder with a sub-folder a class;
text formats may be compressed by gzip or zstd. What it is shows in its content
and name, as for exp data add; --format says it. - or nothing reads standard
input, data=NAME the test reviews of imdb, sample or an added data set.

A line comes out for each review, in their order, as in a run's predictions.tsv:
its name (or number), label, predicted class, words, entropy of the attention in
nats, and the probability of each class; as jsonl the same with the number of
words that have no vector. A terminal shows less of it, and the text, words
without a vector underlined. At the end, on standard error: how many words had no
vector and, where there were labels, accuracy with its 95 % interval, macro-F1,
expected calibration error (15 bins of equal width, as in the report's figure) and
Brier score.

A label is the class of its name, whatever its case. Of classes neg and pos it is
also negative, bad or false, positive, good or true, and a number where the file has
none but 0 and 1, or -1 and 1; stars are no classes. What was taken for a class and
what is none is told at the end.

Words that the run has not met are looked up in the word vectors that it used,
where they are installed (--no-lookup leaves them unknown, as they were for the
run's own test reviews).

A run that translates (group seq2seq) writes source, translation and its log-
probability for each line. A reference may stand behind a tab; then exact match and
BLEU of the words come at the end, as for data=NAME. With --top N the N best that the
beam finds come out, each with its log-probability and what the search ranks by, that
divided by length^beam.alpha.

A model's answers are the same for any company and number of workers. Only with
slip.pad they depend on the other reviews of a batch: batches have the run's size
and follow the input, for the run's own test reviews the order of its training.`

// New returns exp predict.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "predict RUN [FILE|-|data=NAME]",
		Short: "Predict the classes of reviews, or translate sentences",
		Long:  long,
		Example: "  exp predict tme9-lstm reviews.csv > predictions.tsv\n  echo 'a great film' | exp predict @last -\n" +
			"  exp predict tme9-simple data=imdb --out simple.tsv\n  exp predict tme9-lstm mine.jsonl --text-column body --out-format jsonl\n" +
			"  echo 'the red carpet' | exp predict seq2seq-bahdanau --beam 8 --top 3",
		ValidArgsFunction: complete(a),
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("beam") && o.beam < 1 || o.beam > maxBeam:
				return fmt.Errorf("--beam %d: want 1 to %d", o.beam, maxBeam)
			case cmd.Flags().Changed("top") && o.top < 1 || o.top > maxBeam:
				return fmt.Errorf("--top %d: want 1 to %d", o.top, maxBeam)
			case o.beam != 0 && o.top > o.beam:
				return fmt.Errorf("--top %d of --beam %d: a beam finds as many translations as it goes on with; use --beam %[1]d, or leave --beam out", o.top, o.beam)
			case len(args) == 0:
				return errors.New("predict with which run? @last is the last one")
			case len(args) > 2:
				return fmt.Errorf("one file at a time: %s is too many. For a text: %s", args[2], a.Command("attend", args[0], "a great film"))
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cli.GivenFlags(cmd)
			return predict(cmd.Context(), a, args[0], append(args, "-")[1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "of FILE: "+cli.OneOf(formatNames)+" (default: what it looks like); lines begin with their label")
	f.StringVar(&o.columns.TextColumn, "text-column", "", "column of the reviews (default: text, review, sentence, …)")
	f.StringVar(&o.columns.LabelColumn, "label-column", "", "column of the labels (default: label, sentiment, stars, … where there is one)")
	f.StringVar(&o.columns.IDColumn, "id-column", "", "column of the reviews' names (default: id where there is one, else they are numbered)")
	f.StringVar(&o.columns.Encoding, "encoding", "", "utf-8, latin1 or windows-1252 (default utf-8)")
	f.IntVar(&o.limit, "limit", 0, "of data=NAME: the first N reviews of each class, 0 for all (default: as the run, on its own data)")
	f.StringVarP(&o.out, "out", "o", "", "file to write, whole or not at all (default, or -: standard output)")
	f.StringVar(&o.as, "out-format", "", "tsv or jsonl (default tsv)")
	f.BoolVar(&o.noLookup, "no-lookup", false, "do not look for words that the run has not met")
	f.IntVar(&o.beam, "beam", 0, "of a run that translates: go on with the likeliest N translations, 1 for greedy (default: as the run)")
	f.IntVar(&o.top, "top", 0, "of a run that translates: the best `N` translations of each sentence, with their scores (widens a beam of fewer)")
	cmd.MarkFlagFilename("out")
	for flag, values := range map[string][]string{"format": formatNames, "out-format": outFormats, "encoding": {"utf-8", "latin1", "windows-1252"}} {
		cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// complete completes runs, then files and data=NAME.
func complete(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return a.CompleteRuns(cmd, args, word)
		}
		var out []string
		for _, name := range a.DataChoices("data") {
			if name != "auto" {
				out = append(out, "data="+name)
			}
		}
		return out, cobra.ShellCompDirectiveDefault
	}
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
	return tables.CheckEncoding(o.columns.Encoding)
}

func predict(ctx context.Context, a *cli.App, ref, input string, o options) error {
	data, isData := strings.CutPrefix(input, "data=")
	if err := o.fits(isData); err != nil {
		return cli.Usage(err)
	}
	if !isData && input != "-" {
		if err := readable(a, ref, input); err != nil {
			if noModel := cli.NoModel(ref); noModel != nil { // the first word is wrong, too
				return noModel
			}
			return err
		}
	}
	if err := cli.NotOnto(o.out, ref, input); err != nil {
		return err
	}
	forTranslators := func() error {
		return cli.Usage(fmt.Errorf("--%s is for runs that translate (group seq2seq)", cli.Given(o.given, "beam", "top")))
	}
	wantsBeam := o.beam != 0 || o.top != 0
	if wantsBeam && modelview.Classifies(ref) {
		return forTranslators()
	}
	pool := ops.NewPool(a.Workers)
	defer pool.Close()
	run, err := modelview.Find(a, ref)
	switch {
	case err != nil:
		return err
	case run.Translates():
		m, err := run.Translator(a, pool)
		if err != nil {
			return err
		}
		defer m.Close()
		return translateAll(ctx, a, run.Run, m, input, o)
	case wantsBeam:
		return forTranslators()
	}
	t, err := run.Trained()
	if err != nil {
		return err
	}
	if run.Path != "" && run.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: these are the weights of epoch %d", run.Label(), run.Status, t.Epoch))
	}
	m, err := t.Model(pool)
	if err != nil {
		return err
	}
	defer m.Close()
	fmt.Fprintln(a.IO.Err, a.Wrap(fmt.Sprintf("%s (%s): weights of epoch %d", run.Label(), a.Names().About(&run.Config), t.Epoch), "", "  "))
	p := &predicting{App: a, run: t, model: m, o: o, score: newLabelScore(m.Classes), start: time.Now()}
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
	if f := cli.Given(o.given, "format", "text-column", "label-column", "id-column", "encoding"); isData && f != "" {
		return fmt.Errorf("--%s is for a file: data=NAME knows its own", f)
	}
	if !isData && o.given("limit") {
		return errors.New("--limit is for data=NAME; of a file take the first lines with head")
	}
	return nil
}
