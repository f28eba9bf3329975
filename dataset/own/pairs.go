package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/token"
)

// Pairs describes the sentence pairs that were added.
type Pairs struct {
	Read    []FileRead // how each file was read
	HeldOut float64    // the fraction held out for testing; 0 if the test part was given
	Empty   int        // pairs with a side without words; skipped
	// Pairs that were there before, word by word; those whose source was there with
	// another target; and those to test on whose source is in train.
	Repeated, Ambiguous, Shared int
	Foreign                     bool // one side is not English
}

// WritePairs reads sentence pairs and writes them to a file that pairs.Read reads.
func (in *Data) WritePairs(ctx context.Context, to string, progress dataset.Progress) (none Pairs, err error) {
	inputs, _, err := in.inputs(ctx)
	if err != nil {
		return none, err
	}
	g := &pairGatherer{}
	for _, x := range inputs {
		if err := g.file(ctx, x, in.Columns, progress); err != nil {
			return none, err
		}
	}
	g.sources.joinTwins()
	out := Pairs{Read: g.sources.read, Empty: g.empty, Foreign: g.sides[0].Other() || g.sides[1].Other()}
	switch test := g.sources.has(dataset.Test); {
	case test && in.TestFraction != 0:
		return none, fmt.Errorf("%s says what to test on: leave out --test-fraction", g.splitBy)
	case !test:
		out.HeldOut = cmp.Or(in.TestFraction, DefaultTestFraction)
		err = g.holdOut(out.HeldOut)
	case !g.sources.has(dataset.Train):
		err = errors.New("no pairs to train on")
	}
	if err != nil {
		return none, g.sources.misread(err)
	}
	out.Repeated, out.Ambiguous, out.Shared = g.count()
	train, test := g.splits()
	return out, pairs.Write(to, in.Name, sources(g.sources.read), train, test)
}

// pairGatherer collects the pairs of a data set.
type pairGatherer struct {
	pairs   []pairs.Pair // without their names
	sources gatherer     // the same, by their sources; and the files
	empty   int
	sides   [2]token.Language
	splitBy string // file with a column split
}

// file reads one file.
func (g *pairGatherer) file(ctx context.Context, in input, columns tables.Options, progress dataset.Progress) error {
	o := tables.Options{Encoding: columns.Encoding, Header: columns.Header, Progress: progress,
		Limits: dataset.Limits{ReviewBytes: pairs.MaxSideBytes, TotalBytes: pairs.MaxBytes, Reviews: max(1, pairs.MaxPairs-len(g.pairs))}}
	n := 0
	how, err := tables.ReadPairs(ctx, in.file, o, func(p tables.Record) error {
		n++
		return g.add(in, p)
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: holds no pairs", in.file)
	}
	g.sources.read = append(g.sources.read, FileRead{File: in.file, Part: in.part, How: how, Texts: n})
	return err
}

func (g *pairGatherer) add(in input, p tables.Record) error {
	part := in.part
	switch p.Split {
	case "":
	case dataset.Train.String(), dataset.Test.String():
		if in.part == dataset.Test {
			return fmt.Errorf("%s: says by itself whether it is to train or to test on: name the file without --test", p.Where)
		}
		if g.splitBy = in.file; p.Split == dataset.Test.String() {
			part = dataset.Test
		}
	default:
		return fmt.Errorf("%s: the split %s: write train or test", p.Where, stream.Quote(p.Split))
	}
	if p.Text == "" || p.Label == "" {
		g.empty++
		return nil
	}
	g.sides[0].Add(p.Text)
	g.sides[1].Add(p.Label)
	g.pairs = append(g.pairs, pairs.Pair{Source: p.Text, Target: p.Label})
	g.sources.remember(gathered{part: part, came: part}, p.Text)
	return nil
}

// holdOut moves a fraction of the sources from train to test, by their texts alone.
func (g *pairGatherer) holdOut(fraction float64) error {
	texts := 0
	g.sources.groups(func([]int32) { texts++ })
	if texts < 2 {
		return fmt.Errorf("holds %d different sentences, and two are needed to hold one out for testing: add more, or give a test part by --test", texts)
	}
	g.sources.labels = []string{""} // one class
	return g.sources.holdOut(fraction)
}

// count counts pairs that repeat an earlier one, pairs whose source had another target before, and
// test pairs whose source is also in train.
func (g *pairGatherer) count() (repeated, ambiguous, shared int) {
	g.sources.groups(func(pairs []int32) {
		targets, train := map[string]bool{}, 0
		for _, i := range pairs {
			switch target := g.pairs[i].Target; {
			case targets[target]:
				repeated++
			case len(targets) > 0:
				ambiguous++
				fallthrough
			default:
				targets[target] = true
			}
			if g.sources.reviews[i].part == dataset.Train {
				train++
			}
		}
		if train > 0 {
			shared += len(pairs) - train
		}
	})
	return repeated, ambiguous, shared
}

// splits returns the pairs of train and test with their names: test/00000007 with
// nothing but files to train on was the seventh there.
func (g *pairGatherer) splits() (train, test []pairs.Pair) {
	var number [dataset.Parts]int
	for i, p := range g.pairs {
		r := g.sources.reviews[i]
		number[r.came]++
		if p.ID = fmt.Sprintf("%s/%08d", r.part, number[r.came]); r.part == dataset.Test {
			test = append(test, p)
		} else {
			train = append(train, p)
		}
	}
	return train, test
}
