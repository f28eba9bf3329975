package own

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

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
	g := &pairGatherer{gatherer: gatherer{columns: in.Columns, limits: limits, progress: progress, parted: in.parted(inputs)}}
	g.columns.Pairs = true
	if err := g.gather(ctx, inputs, g.add); err != nil {
		return none, err
	}
	out := Pairs{Read: g.read, Empty: g.empty, Foreign: g.sides[0].Other() || g.sides[1].Other()}
	switch {
	case !g.has(dataset.Test):
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
	pairs []pairs.Pair // without their names
	empty int
	sides [2]token.Language
}

func (g *pairGatherer) add(in input, p tables.Record) error {
	x := gathered{part: in.part}
	if err := g.split(&x, p); err != nil {
		return err
	}
	x.came = x.part
	if p.Text == "" || p.Label == "" {
		g.empty++
		return nil
	}
	g.sides[0].Add(p.Text)
	g.sides[1].Add(p.Label)
	g.pairs = append(g.pairs, pairs.Pair{Source: p.Text, Target: p.Label})
	g.remember(x, p.Text)
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

// splits returns the pairs of train and test with their names. A name has the part and the number of
// the pair in its file: test/00000007 may be the seventh pair of a training file, if it was held out.
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

// The form of the ERASER benchmark (DeYoung et al. 2020; its rationale_benchmark/utils.py):
// a folder with the file of each document in docs, one sentence a line, words separated by
// blanks; and train.jsonl, val.jsonl and test.jsonl with an annotation a line. An
// annotation's label is its classification; its evidences are spans of the document's
// words, counted through all lines from 0.

// eraserAnnotation holds the fields read from an annotation.
type eraserAnnotation struct {
	ID        string `json:"annotation_id"`
	Label     string `json:"classification"`
	Evidences [][]struct {
		Document string `json:"docid"`
		Start    int    `json:"start_token"`
		End      int    `json:"end_token"` // exclusive
	} `json:"evidences"`
}

// readEraser reads the annotations of a file with the documents in docs, and no files outside
// that folder.
func readEraser(ctx context.Context, docs, file string, yield func(tables.Record) error) (tables.How, error) {
	how := tables.How{Format: "ERASER's annotations", Columns: [tables.Roles]string{tables.Text: "docs", tables.Label: "classification", tables.Rationale: "evidences"}}
	lines, err := os.ReadFile(file)
	if err != nil {
		return how, err
	}
	root, err := os.OpenRoot(docs)
	if err != nil {
		return how, err
	}
	defer root.Close()
	for i, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		r, err := eraserRecord(root, line)
		r.Where = fmt.Sprintf("%s: line %d", file, i+1)
		if err != nil {
			return how, fmt.Errorf("%s: %w", r.Where, err)
		}
		if err := errors.Join(ctx.Err(), yield(r)); err != nil {
			return how, err
		}
	}
	return how, nil
}

// eraserWord is a word of a document.
var eraserWord = regexp.MustCompile(`[^ \r\n]+`)

func eraserRecord(root *os.Root, line string) (r tables.Record, err error) {
	var a eraserAnnotation
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return r, fmt.Errorf("is not an annotation (%w)", err)
	}
	document, evidence := a.ID, slices.Concat(a.Evidences...)
	if len(evidence) > 0 && evidence[0].Document != "" {
		document = evidence[0].Document
	}
	if r.Label = strings.TrimSpace(a.Label); r.Label == "" || document == "" {
		return r, errors.New("is not an annotation of a document: annotation_id and classification are needed")
	}
	text, err := root.ReadFile(document)
	if err == nil {
		err = stream.CheckText("docs/"+document, string(text))
	}
	if err != nil {
		return r, err
	}
	r.Text = string(text)
	words := eraserWord.FindAllStringIndex(r.Text, -1)
	for _, e := range evidence {
		switch {
		case e.Document != "" && e.Document != document:
			return r, fmt.Errorf("evidence of the documents %q and %q: reviews have one", document, e.Document)
		case e.Start < 0 || e.End <= e.Start || e.End > len(words):
			return r, fmt.Errorf("evidence of the words %d to %d, and %s has %d", e.Start, e.End, document, len(words))
		}
		r.Rationale = append(r.Rationale, [2]int{words[e.Start][0], words[e.End-1][1]})
	}
	r.Rationale = tables.JoinSpans(r.Rationale)
	return r, nil
}
