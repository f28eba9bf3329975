package dataset

import (
	"context"
	"fmt"

	"imdbexp/dataset/tables"
)

// pairGatherer collects the pairs of a data set.
type pairGatherer struct {
	pairs   []tables.Pair
	sources gatherer // the same, by their sources; and the files
	empty   int
	splitBy string // file with a column split
}

func (g *pairGatherer) has(p Part) bool { return g.sources.has(p) }

// file reads one file.
func (g *pairGatherer) file(ctx context.Context, in input, encoding string, progress Progress) error {
	o := tables.Options{Encoding: encoding, Progress: progress,
		Limits: tables.Limits{RecordBytes: maxSideBytes, TotalBytes: maxPairsBytes, Records: max(1, maxPairs-len(g.pairs))}}
	n := 0
	how, err := tables.ReadPairs(ctx, in.file, o, func(p tables.Pair) error {
		n++
		return g.add(in, p)
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: holds no pairs", in.file)
	}
	g.sources.read = append(g.sources.read, FileRead{in.file, in.part, how, n})
	return err
}

func (g *pairGatherer) add(in input, p tables.Pair) error {
	part := in.part
	switch p.Split {
	case "":
	case Train.String(), Test.String():
		if in.part == Test {
			return fmt.Errorf("%s: says by itself whether it is to train or to test on: name the file without --test", p.Where)
		}
		if g.splitBy = in.file; p.Split == Test.String() {
			part = Test
		}
	default:
		return fmt.Errorf("%s: the split %s: write train or test", p.Where, quoteName(p.Split))
	}
	if p.Source == "" || p.Target == "" {
		g.empty++
		return nil
	}
	g.pairs = append(g.pairs, p)
	g.sources.reviews = append(g.sources.reviews, gathered{key: textKey(p.Source), part: part, came: part})
	return nil
}

// holdOut moves a fraction of the sources from train to test, by their texts alone.
func (g *pairGatherer) holdOut(fraction float64) error {
	var texts [][]int32
	g.sources.groups(func(pairs []int32) { texts = append(texts, pairs) })
	if len(texts) < 2 {
		return fmt.Errorf("holds %d different sentences, and two are needed to hold one out for testing: add more, or give a test part by --test", len(texts))
	}
	n := int(float64(fraction*float64(len(texts))) + 0.5)
	for _, pairs := range texts[:min(max(n, 1), len(texts)-1)] {
		for _, i := range pairs {
			g.sources.reviews[i].part = Test
		}
	}
	return nil
}

// count tells how many pairs were there before, had another target before, or
// are to be tested on though their source is in train.
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
			if g.sources.reviews[i].part == Train {
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
func (g *pairGatherer) splits() (train, test []Pair) {
	var number [parts]int
	for i, p := range g.pairs {
		r := g.sources.reviews[i]
		number[r.came]++
		x := Pair{fmt.Sprintf("%s/%08d", r.part, number[r.came]), p.Source, p.Target}
		if r.part == Test {
			test = append(test, x)
		} else {
			train = append(train, x)
		}
	}
	return train, test
}
