package data

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
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
	given   func(flag string) bool
}

func newAdd(a *cli.App) *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:   "add FILE… [--name NAME]",
		Short: "Put archives, your own reviews or word vectors into the data folder",
		Long: `Put files into the data folder. exp recognises IMDB's reviews (aclImdb, or the Hugging
Face hub's Parquet files) and GloVe 6B vectors by their content, and checks every byte.
--name adds your own data under a name.

Reviews (data=NAME) can be CSV, TSV, JSONL, Parquet, lines of label and text, a folder or
archive with a file per part or a sub-folder per class, or --class LABEL=FILE. Without a
test part, a fifth of each class is held out. Word vectors (vectors=NAME) are text or
binary. docs/data.md describes all formats and columns.`,
		Example: `  exp data add aclImdb_v1.tar.gz glove.6B.zip
  exp data add reviews.csv --name mine --text-column review --label-column stars
  exp data add train.parquet --test test.parquet --name mine
  exp data add SST-2.zip --name sst2 --rename 0=negative,1=positive
  exp data add sentences.tsv --pairs --name mine
  exp data add cad_test_paired.tsv --probe --name minimal`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.classes) == 0 {
				return fmt.Errorf("name a file to add, such as aclImdb_v1.tar.gz, glove.6B.zip, or reviews.csv --name mine")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			f.own.Files, f.given = files, cmd.Flags().Changed
			dir, err := a.Data()
			if err != nil {
				return err
			}
			if f.own.Name != "" {
				return f.addNamed(cmd.Context(), a, dir)
			}
			if err := f.refuse("is for your own data: add --name NAME", slices.Concat(ofReviews, ofTexts, []string{"pairs", "probe"})); err != nil {
				return err
			}
			return addPublished(cmd.Context(), a, dir, files, f.own.Force)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.own.Name, "name", "", "`NAME` of your data or vectors in settings")
	flags.StringArrayVar(&f.own.Test, "test", nil, "`FILE` to test on")
	flags.Float64Var(&f.own.TestFraction, "test-fraction", 0, fmt.Sprintf("share to test on without a test file (default %v)", own.DefaultTestFraction))
	flags.StringArrayVar(&f.classes, "class", nil, "`LABEL=FILE` with one review a line")
	flags.StringArrayVar(&f.own.Unlabelled, "unlabelled", nil, "`FILE` without labels, for vectors=corpus")
	flags.StringVar(&f.own.Columns.Columns[tables.Text], "text-column", "", "`COLUMN` of the reviews (default: text, review, …)")
	flags.StringVar(&f.own.Columns.Columns[tables.Label], "label-column", "", "`COLUMN` of the labels (default: label, stars, …)")
	flags.StringVar(&f.own.Columns.Columns[tables.Title], "title-column", "", "`COLUMN` of titles, to join to the texts")
	flags.StringToStringVar(&f.own.Rename, "rename", nil, "names of classes: `LABEL=CLASS`,…")
	flags.Lookup("rename").DefValue = ""
	flags.StringVar(&f.own.Columns.Columns[tables.Rationale], "rationale-column", "", "`COLUMN` of the reasons (default: rationale)")
	flags.StringVar(&f.own.Columns.Header, "header", "", "`yes`, no, or the columns' names (default: detected)")
	flags.BoolVar(&f.own.Columns.KeepEntities, "keep-entities", false, "do not decode HTML entities, \\n and \\\"")
	flags.BoolVar(&f.pairs, "pairs", false, "sentences and translations, for seq2seq")
	flags.BoolVar(&f.probe, "probe", false, "minimal pairs, for exp probe")
	flags.BoolVar(&f.own.Force, "force", false, "replace data of the same name")
	return cmd
}

// Flags for reviews only, and for texts of any kind.
var (
	ofReviews = []string{"class", "unlabelled", "text-column", "label-column", "title-column", "rationale-column", "rename"}
	ofTexts   = []string{"test", "test-fraction", "header", "keep-entities"}
)

// refuse returns an error if one of the flags was given.
func (f *addFlags) refuse(why string, flags []string) error {
	if given := cli.Given(f.given, flags...); given != "" {
		return cli.Usagef("--%s %s", given, why)
	}
	return nil
}

func addPublished(ctx context.Context, a *cli.App, dir string, files []string, replace bool) error {
	var hub []string // IMDB's Parquet files
	files = slices.DeleteFunc(files, func(f string) bool {
		found := imdb.HubFiles(f)
		hub = append(hub, found...)
		return len(found) > 0
	})
	if len(hub) > 0 {
		files = append([]string{""}, files...)
	}
	for _, file := range files {
		o, stop := progress.Reading(a.IO, a.Warn)
		add := func() ([]folder.Added, error) { return folder.Add(ctx, dir, file, replace, o) }
		if file == "" {
			add = func() ([]folder.Added, error) {
				x, err := folder.AddHub(ctx, dir, hub, replace, o)
				return []folder.Added{x}, err
			}
		}
		added, err := add()
		stop()
		for _, x := range added {
			if x.Path == "" { // not added
				continue
			}
			a.Say(addedLine(x))
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

// addNamed adds vectors, reviews, sentence pairs or minimal pairs under a name.
func (f *addFlags) addNamed(ctx context.Context, a *cli.App, dir string) error {
	if x := f.own.TestFraction; f.given("test-fraction") && !(x >= 0.01 && x <= 0.9) {
		return cli.Usagef("--test-fraction %v: choose 0.01 to 0.9", x)
	}
	if err := folder.CheckName(f.own.Name); err != nil {
		return cli.Usagef("--name: %w", err)
	}
	if err := f.own.Columns.Check(); err != nil {
		return cli.Usage(err)
	}
	for _, c := range f.classes {
		label, file, ok := strings.Cut(c, "=")
		if !ok || label == "" || file == "" {
			return cli.Usagef("--class %s: want LABEL=FILE, such as pos=good.txt", c)
		}
		f.own.Classes = append(f.own.Classes, own.ClassFile{Class: label, File: file})
	}
	switch {
	case f.probe:
		if err := f.refuse("is not for --probe: omit it", append(ofReviews, "test", "test-fraction", "pairs")); err != nil {
			return err
		}
		return addProbe(ctx, a, dir, probe.Files{Name: f.own.Name, Files: f.own.Files, Read: f.own.Columns, Force: f.own.Force})
	case f.pairs:
		if err := f.refuse("is for reviews, not for --pairs: omit it", ofReviews); err != nil {
			return err
		}
		return addPairs(ctx, a, dir, f.own)
	case len(f.own.Files) == 1 && cli.Given(f.given, append(ofReviews, ofTexts...)...) == "":
		dim, _, err := vectors.Detect(ctx, f.own.Files[0])
		if err != nil {
			return err
		}
		if dim > 0 {
			return addVectors(ctx, a, dir, f.own)
		}
	}
	err := addReviews(ctx, a, dir, f.own)
	if tables.NoColumn(err) {
		return cli.Usage(err)
	}
	return err
}

func addVectors(ctx context.Context, a *cli.App, dir string, in own.Data) error {
	o, stop := progress.Reading(a.IO, a.Warn)
	added, err := folder.AddVectors(ctx, dir, in.Files[0], in.Name, in.Force, o)
	if stop(); err != nil {
		return err
	}
	a.Say(addedLine(added))
	cli.Next(a.IO, [][2]string{{a.Command("run", "tme9-lstm", "vectors="+in.Name), "train with them"}})
	return nil
}

func addedLine(d folder.Added) string {
	text := fmt.Sprintf("added %s (%s): ", d.Path, format.Bytes(d.Bytes))
	parts := func(unit string) string {
		return fmt.Sprintf("data=%s, %s to train on, %s to test", d.Name, format.Counted(d.Train, unit), format.Thousands(d.Test))
	}
	switch {
	case d.Kind == folder.ProbeKind:
		return text + format.Counted(d.Test, "minimal pair")
	case d.Kind == folder.PairsKind:
		return text + parts("pair")
	case d.Kind == folder.CorpusKind && d.Extra > 0:
		return text + parts("review") + fmt.Sprintf(", %s without label", format.Thousands(d.Extra))
	case d.Kind == folder.CorpusKind:
		return text + parts("review")
	}
	return text + fmt.Sprintf("vectors=%s, %s words of %d dimensions", d.Name, format.Thousands(d.Words), d.Dim)
}
