package own

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/token"
)

// gatherer reads the files of a data set. What decides about classes and splits stays in memory, 24
// bytes a review; the texts are read again when they are written.
type gatherer struct {
	columns  tables.Options
	rename   map[string]string
	limits   dataset.Limits // of each file
	progress dataset.Progress
	parted   bool // a column that names the parts is used: there is no other test part

	labels  []string        // as they were met
	first   []string        // where each label was met
	index   map[string]int  // by label, as written
	keys    map[string]int  // by dataset.LabelKey
	renamed map[string]bool // labels of rename that were met
	merged  []string        // spellings of equal numbers
	reviews []gathered
	order   []int32 // see groups
	marked  int     // reviews with a rationale
	spoken  token.Language
	read    []FileRead
}

// gathered is the record kept of each review.
type gathered struct {
	key   uint64 // equal for texts with the same words, see joinTwins
	words uint64 // hash of its words
	label int16  // index into labels, or Unlabelled
	part  dataset.Part
	came  dataset.Part // part in the input: dataset.Train for held-out reviews
	empty bool
}

// has reports whether a part has reviews.
func (g *gatherer) has(p dataset.Part) bool {
	return slices.ContainsFunc(g.reviews, func(r gathered) bool { return r.part == p })
}

// gather reads all inputs. It calls add for each record.
func (g *gatherer) gather(ctx context.Context, inputs []input, add func(input, tables.Record) error) error {
	g.index, g.keys, g.renamed = map[string]int{}, map[string]int{}, map[string]bool{}
	for _, in := range inputs {
		read := FileRead{File: in.String(), Part: in.part}
		how, err := g.each(ctx, in, func(r tables.Record) error {
			read.Texts++
			return add(in, r)
		})
		if unfit := new(classError); errors.As(err, &unfit) {
			return fmt.Errorf("%w. The file was read as %s", err, how)
		}
		if err != nil {
			return err
		}
		if read.How = how; read.Texts == 0 {
			return fmt.Errorf("%s: holds no texts or pairs", in)
		}
		if !g.parted {
			read.How.Columns[tables.Split], read.Passed = "", how.Columns[tables.Split]
		}
		g.read = append(g.read, read)
	}
	for label := range g.rename {
		if !g.renamed[label] {
			return fmt.Errorf("no review has the label %s that --rename names; the labels are %s", stream.Quote(label), stream.Listed(slices.Clone(g.labels)))
		}
	}
	g.joinTwins()
	g.nameNumbers()
	return nil
}

// each reads the records of an input.
func (g *gatherer) each(ctx context.Context, in input, yield func(tables.Record) error) (tables.How, error) {
	o := g.columns
	o.Class, o.Unlabelled = in.class, in.part == dataset.Extra
	o.Limits, o.Progress = g.limits, g.progress
	return in.read(ctx, o, yield)
}

// read reads the records of an input.
func (in input) read(ctx context.Context, o tables.Options, yield func(tables.Record) error) (tables.How, error) {
	switch {
	case in.eraser != "":
		return readEraser(ctx, in.eraser, in.file, yield)
	case in.member == "":
		return tables.Read(ctx, in.file, o, yield)
	}
	r, _, err := stream.OpenInside(ctx, in.file, in.file, in.member, o.Limits.OrDefault().TotalBytes, o.Progress)
	if err != nil {
		return tables.How{}, err
	}
	defer r.Close()
	return tables.ReadFrom(ctx, r, in.String(), o, yield)
}

// misread adds to an error about classes how the first file was read, because its format may have been
// guessed wrongly.
func (g *gatherer) misread(err error) error {
	first := g.read[0]
	err = fmt.Errorf("%s: %w. It was read as %s", first.File, err, first.How)
	if first.How.Guess != "" {
		err = fmt.Errorf("%w. Its %s", err, first.How.Guess)
	}
	return err
}

// splits maps the names of parts in a column, and of unlabelled folders next to the classes
// (as in aclImdb), to parts.
var splits = map[string]dataset.Part{
	"train": dataset.Train, "training": dataset.Train,
	"validation": dataset.Train, "valid": dataset.Train, "val": dataset.Train, "dev": dataset.Train,
	"test": dataset.Test, "testing": dataset.Test,
	"unsupervised": dataset.Extra, "unsup": dataset.Extra, "unlabelled": dataset.Extra, "unlabeled": dataset.Extra,
}

// maxLabel bounds the name of a class, in bytes.
const maxLabel = 100

func (g *gatherer) add(in input, r tables.Record) error {
	g.marked += min(1, len(r.Rationale))
	g.spoken.Add(r.Text)
	x := gathered{label: dataset.Unlabelled, part: in.part}
	if in.class == "" && splits[r.Label] == dataset.Extra && strings.HasPrefix(r.Where, in.file+"/") {
		x.part = dataset.Extra
	}
	if err := g.split(&x, r); err != nil {
		return err
	}
	if x.part != dataset.Extra {
		label, err := g.label(r, in.part)
		if err != nil {
			return err
		}
		x.label = int16(label)
	}
	x.came = x.part
	g.remember(x, r.Text)
	return nil
}

// split sets the part of a review by a column.
func (g *gatherer) split(x *gathered, r tables.Record) error {
	if !g.parted || r.Split == "" {
		return nil
	}
	part, ok := splits[strings.ToLower(r.Split)]
	if !ok || part == dataset.Extra && g.columns.Pairs {
		return &tables.RowError{Role: tables.Split, Text: stream.Quote(r.Split) + " is none of the parts train, validation, test and unsupervised: name it so, or give --test-fraction to ignore that column"}
	}
	x.part = part
	return nil
}

// label returns the class of a label. Equal numbers are one class, named as in the first review.
func (g *gatherer) label(r tables.Record, p dataset.Part) (int, error) {
	if name, ok := g.rename[r.Label]; ok {
		g.renamed[r.Label], r.Label = true, name
	}
	if i, ok := g.index[r.Label]; ok {
		return i, nil
	}
	key := dataset.LabelKey(r.Label)
	_, number := dataset.LabelNumber(r.Label)
	before, met := g.keys[key]
	switch {
	case r.Label == "":
		return 0, &tables.RowError{Role: tables.Label, Text: tables.NoLabel}
	case met && number:
		g.index[r.Label] = before
		return before, nil
	case met:
		g.index[r.Label] = before // once is enough
		return 0, &tables.RowError{Role: tables.Label, Text: fmt.Sprintf("the labels %+q and %+q differ only in case, invisible characters or how letters are stored: "+
			"write both alike, or give --rename %[2]s=%[1]s, if they are one class, else choose other names", g.labels[before], r.Label)}
	case p == dataset.Test:
		g.index[r.Label] = 0
		return 0, &tables.RowError{Role: tables.Label, Text: "the label " + stream.Quote(r.Label) + " is in no training file: --rename " + r.Label + "=NAME reads it as the class NAME"}
	case len(g.labels) == maxClasses && number && !slices.ContainsFunc(g.labels, notNumber):
		return 0, &classError{r.Where, fmt.Sprintf("%s is number %d among the labels, and a data set has at most %d classes: make classes of the numbers first, in pandas five of about equal size by pd.qcut(df[COLUMN], 5, labels=False), or with limits of your own by pd.cut",
			stream.Quote(r.Label), maxClasses+1, maxClasses)}
	case len(g.labels) == maxClasses:
		return 0, &classError{r.Where, fmt.Sprintf("%s is label number %d, and a data set has at most %d classes: are these labels? Before it came %s",
			stream.Quote(r.Label), maxClasses+1, maxClasses, stream.Listed(append([]string(nil), g.labels...)))}
	case len(r.Label) > maxLabel || strings.ContainsFunc(r.Label, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return 0, &classError{r.Where, fmt.Sprintf("the label %s: choose a name of up to %d letters on one line", stream.Quote(r.Label), maxLabel)}
	}
	g.labels, g.first = append(g.labels, r.Label), append(g.first, r.Where)
	g.index[r.Label], g.keys[key] = len(g.labels)-1, len(g.labels)-1
	return len(g.labels) - 1, nil
}

func notNumber(label string) bool {
	_, number := dataset.LabelNumber(label)
	return !number
}

// nameNumbers names each class of equal numbers by its shortest spelling, so that its name does not
// depend on the order of the reviews.
func (g *gatherer) nameNumbers() {
	for spelling, class := range g.index {
		now := g.labels[class]
		if len(spelling) < len(now) || len(spelling) == len(now) && spelling < now {
			g.labels[class] = spelling
		}
	}
	for spelling, class := range g.index {
		if g.labels[class] != spelling {
			g.merged = append(g.merged, fmt.Sprintf("%q as %q", spelling, g.labels[class]))
		}
	}
	slices.Sort(g.merged)
}

// classError says that a label cannot be.
type classError struct{ where, what string }

func (e *classError) Error() string { return e.where + ": " + e.what }
