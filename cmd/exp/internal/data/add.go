package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/format"
)

// addFlags are the flags of exp data add. All but name and force are for your own reviews or pairs.
type addFlags struct {
	own     own.Data
	classes []string // LABEL=FILE
	pairs   bool     // sentences and their translations
	probe   bool     // minimal pairs
}

func newAdd(a *cli.App) *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:   "add FILE… [--name NAME]",
		Short: "Put archives, your own reviews or word vectors into the data folder",
		Long: `Put files into the data folder. exp recognises the aclImdb archive or folder, the same
reviews as Parquet files (stanfordnlp/imdb on the Hugging Face hub), and GloVe 6B vectors
(text, .gz or .zip) by their content, and checks every byte first.

With --name: your own labelled reviews (data=NAME) or word vectors (vectors=NAME).
Reviews can be CSV, TSV, JSONL, Parquet, lines of label and text, a folder with one
sub-folder per class (also below train and test), a folder or archive with a file per part
(train.csv, test.csv, dev.tsv, train-00000-of-00004.parquet), or --class LABEL=FILE with
one review per line. SST-2, Yelp and Amazon polarity take one command each, see
docs/data.md. A column split assigns each review to train, test, validation (added to train)
or unsupervised; without a test part, a fifth of each class is held out. A column
rationale marks the reasons for a label, as spans of characters (12-20 35-41) or words
(not funny|a waste); a folder of the ERASER benchmark (docs, train.jsonl, test.jsonl)
has them. Models do not see them; exp explain compares word scores with them.

With --name and --pairs: your own sentences and their translations (data=NAME for a
seq2seq experiment), as TSV, CSV or JSONL with the columns source, target and
optionally split (train or test). --header yes skips a first line of other names (en, fr).

With --name and --probe: minimal pairs, a text and its rewriting with another label, to
test models on (exp probe) and never to train on (data.exclude=NAME). A column batch_id,
pair_id or pair joins two rows, the original first; or there are the columns original and
rewritten, with label and rewritten_label; or two files, row by row.`,
		Example: `  exp data add aclImdb_v1.tar.gz glove.6B.zip
  exp data add reviews.csv --name mine --text-column review --label-column stars
  exp data add --class pos=good.txt --class neg=bad.txt --name mine
  exp data add train.parquet --test test.parquet --name mine
  exp data add SST-2.zip --name sst2 --rename 0=negative,1=positive
  exp data add vectors.bin.gz --name news
  exp data add sentences.tsv --pairs --name mine
  exp data add cad_test_paired.tsv --probe --name minimal`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.classes) == 0 {
				return fmt.Errorf("name a file to add, such as aclImdb_v1.tar.gz, glove.6B.zip, or reviews.csv --name mine")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			f.own.Files = files
			if f.own.Name != "" {
				return addNamed(cmd.Context(), a, cmd, f)
			}
			if given := cli.Given(cmd.Flags().Changed, append(ofReviews, "test", "test-fraction", "encoding", "header", "keep-entities", "pairs", "probe")...); given != "" {
				return cli.Usage(fmt.Errorf("--%s is for your own data: add --name NAME", given))
			}
			return addPublished(cmd.Context(), a, files, f.own.Force)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.own.Name, "name", "", "name of your own data or vectors in settings")
	flags.StringArrayVar(&f.own.Test, "test", nil, "file to test on")
	flags.Float64Var(&f.own.TestFraction, "test-fraction", 0, fmt.Sprintf("share of each class to test on if there is no test file (default %v)", own.DefaultTestFraction))
	flags.StringArrayVar(&f.classes, "class", nil, "LABEL=FILE, a file with one review of that class per line")
	flags.StringArrayVar(&f.own.Unlabelled, "unlabelled", nil, "file of reviews without label, for vectors=corpus")
	flags.StringVar(&f.own.Columns.Columns[tables.Text], "text-column", "", "column of the reviews (default: text, review, sentence, …)")
	flags.StringVar(&f.own.Columns.Columns[tables.Label], "label-column", "", "column of the labels (default: label, sentiment, stars, …)")
	flags.StringVar(&f.own.Columns.Columns[tables.Title], "title-column", "", "column of titles, to join to the texts (default: none)")
	flags.StringToStringVar(&f.own.Rename, "rename", nil, "names of classes by the labels in the files, such as 1=negative,2=positive")
	flags.StringVar(&f.own.Columns.Columns[tables.Rationale], "rationale-column", "", "column of the reasons for a label (default: rationale)")
	flags.StringVar(&f.own.Columns.Encoding, "encoding", "", "utf-8, latin1 or windows-1252 (default utf-8)")
	flags.StringVar(&f.own.Columns.Header, "header", "", "whether the first row of a table names its columns: yes, no, or no and the names, such as label,title,text (default: detected)")
	flags.BoolVar(&f.own.Columns.KeepEntities, "keep-entities", false, "leave HTML entities such as &quot;, and \\n and \\\", as they are (default: decode them)")
	flags.BoolVar(&f.pairs, "pairs", false, "the files have sentences and their translations")
	flags.BoolVar(&f.probe, "probe", false, "the files have minimal pairs, to test models on")
	flags.BoolVar(&f.own.Force, "force", false, "replace data of the same name")
	return cmd
}

// ofReviews are the flags for reviews only.
var ofReviews = []string{"class", "unlabelled", "text-column", "label-column", "title-column", "rationale-column", "rename"}

// addPublished adds IMDB and GloVe.
func addPublished(ctx context.Context, a *cli.App, files []string, replace bool) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	var hub []string // IMDB's Parquet files
	files = slices.DeleteFunc(files, func(f string) bool {
		found := imdb.HubFiles(f)
		hub = append(hub, found...)
		return len(found) > 0
	})
	if len(hub) > 0 {
		added, err := reading(a, func(o folder.Options) (folder.Added, error) { return folder.AddHub(ctx, dir, hub, replace, o) })
		if err != nil {
			return err
		}
		a.Say(addedLine(added), "", "  ")
	}
	for _, file := range files {
		added, err := reading(a, func(o folder.Options) ([]folder.Added, error) { return folder.Add(ctx, dir, file, replace, o) })
		for _, x := range added {
			a.Say(addedLine(x), "", "  ")
			if want := dataset.Published(x.Name); want != "" && x.Digest != want {
				a.Warn(fmt.Errorf("the content of %s differs from the published %s: do not compare results with published ones", file, x.Name))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addNamed adds vectors, reviews or sentence pairs under a name.
func addNamed(ctx context.Context, a *cli.App, cmd *cobra.Command, f addFlags) error {
	dir, err := a.Data()
	if err != nil {
		return err
	}
	switch x := f.own.TestFraction; {
	case !cmd.Flags().Changed("test-fraction"):
	case x == 0:
		return cli.Usage(errors.New("--test-fraction 0: there must be a test part; choose 0.01 to 0.9"))
	case !own.FractionFits(x):
		return cli.Usage(fmt.Errorf("--test-fraction %v: choose 0.01 to 0.9", x))
	}
	if err := folder.CheckName(f.own.Name); err != nil {
		return cli.Usage(fmt.Errorf("--name: %w", err))
	}
	if err := f.own.Columns.Check(); err != nil {
		return cli.Usage(err)
	}
	for _, c := range f.classes {
		label, file, ok := strings.Cut(c, "=")
		if !ok || label == "" || file == "" {
			return cli.Usage(fmt.Errorf("--class %s: want LABEL=FILE, such as pos=good.txt", c))
		}
		f.own.Classes = append(f.own.Classes, own.ClassFile{Class: label, File: file})
	}
	if f.probe {
		if given := cli.Given(cmd.Flags().Changed, append(ofReviews, "test", "test-fraction", "pairs")...); given != "" {
			return cli.Usage(fmt.Errorf("--%s does not go with --probe: leave it out", given))
		}
		return addProbe(ctx, a, dir, probe.Files{Name: f.own.Name, Files: f.own.Files, Read: f.own.Columns, Force: f.own.Force})
	}
	if f.pairs {
		if given := cli.Given(cmd.Flags().Changed, ofReviews...); given != "" {
			return cli.Usage(fmt.Errorf("--%s is for reviews, not for --pairs: leave it out", given))
		}
		return addPairs(ctx, a, dir, f.own)
	}
	if len(f.own.Files) == 1 && cli.Given(cmd.Flags().Changed, append(ofReviews, "test", "test-fraction", "encoding", "header", "keep-entities")...) == "" {
		dim, err := vectors.Detect(ctx, f.own.Files[0])
		if err != nil {
			return err
		}
		if dim > 0 {
			return addVectors(ctx, a, dir, f.own)
		}
	}
	err = addReviews(ctx, a, dir, f.own)
	if tables.NoColumn(err) {
		return cli.Usage(err)
	}
	return err
}

// addVectors adds word vectors under a name.
func addVectors(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	added, err := reading(a, func(o folder.Options) (folder.Added, error) {
		return folder.AddVectors(ctx, dir, in.Files[0], in.Name, in.Force, o)
	})
	if err != nil {
		return err
	}
	a.Say(addedLine(added), "", "  ")
	cli.Next(a.IO, [][2]string{{a.Command("run", "tme9-lstm", "vectors="+in.Name), "train with them"}})
	return nil
}

func addedLine(d folder.Added) string {
	text := fmt.Sprintf("added %s (%s): ", d.Path, format.Bytes(d.Bytes))
	switch {
	case d.Kind == folder.ProbeKind:
		return text + format.Counted(d.Test, "minimal pair")
	case d.Kind == folder.PairsKind:
		return text + fmt.Sprintf("data=%s, %s to train on, %s to test", d.Name, format.Counted(d.Train, "pair"), format.Thousands(d.Test))
	case d.Kind == folder.CorpusKind:
		text += fmt.Sprintf("data=%s, %s reviews to train on, %s to test", d.Name, format.Thousands(d.Train), format.Thousands(d.Test))
		if d.Extra > 0 {
			text += fmt.Sprintf(", %s without label", format.Thousands(d.Extra))
		}
		return text
	}
	return text + fmt.Sprintf("vectors=%s, %s words of %d dimensions", d.Name, format.Thousands(d.Words), d.Dim)
}
