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
	limits := dataset.Limits{ReviewBytes: pairs.MaxSideBytes, TotalBytes: pairs.MaxBytes, Reviews: pairs.MaxPairs}
	g := &pairGatherer{gatherer: gatherer{columns: in.Columns, limits: limits, progress: progress, parted: true}}
	g.columns.Pairs = true
	if err := g.gather(ctx, inputs, g.add); err != nil {
		return none, err
	}
	out := Pairs{Read: g.read, Empty: g.empty, Foreign: g.sides[0].Other() || g.sides[1].Other()}
	switch test := g.has(dataset.Test); {
	case test && in.TestFraction != 0:
		return none, fmt.Errorf("%s says what to test on: leave out --test-fraction", g.splitBy)
	case !test:
		out.HeldOut = cmp.Or(in.TestFraction, DefaultTestFraction)
		err = g.holdOut(out.HeldOut)
	case !g.has(dataset.Train):
		err = errors.New("no pairs to train on")
	}
	if err != nil {
		return none, g.misread(err)
	}
	out.Repeated, out.Ambiguous, out.Shared = g.repeats()
	train, test := g.splits()
	return out, pairs.Write(to, in.Name, sources(g.read), train, test)
}

// pairGatherer collects the pairs of a data set, by their sources.
type pairGatherer struct {
	gatherer
	pairs   []pairs.Pair // without their names
	empty   int
	sides   [2]token.Language
	splitBy string // file with a column split
}

func (g *pairGatherer) add(in input, p tables.Record) error {
	if err := g.budget.Spend(int64(len(p.Text) + len(p.Label))); err != nil {
		return fmt.Errorf("%s: %w", p.Where, err)
	}
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
	g.remember(gathered{part: part, came: part}, p.Text)
	return nil
}

// holdOut moves a fraction of the sources from train to test, by their texts alone.
func (g *pairGatherer) holdOut(fraction float64) error {
	texts := 0
	g.groups(func([]int32) { texts++ })
	if texts < 2 {
		return fmt.Errorf("holds %d different sentences, and two are needed to hold one out for testing: add more, or give a test part by --test", texts)
	}
	g.labels = []string{""} // one class
	return g.gatherer.holdOut(fraction)
}

// repeats counts pairs that repeat an earlier one, pairs whose source had another target before, and
// test pairs whose source is also in train.
func (g *pairGatherer) repeats() (repeated, ambiguous, shared int) {
	g.groups(func(pairs []int32) {
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
			if g.reviews[i].part == dataset.Train {
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
		r := g.reviews[i]
		number[r.came]++
		if p.ID = fmt.Sprintf("%s/%08d", r.part, number[r.came]); r.part == dataset.Test {
			test = append(test, p)
		} else {
			train = append(train, p)
		}
	}
	return train, test
}
