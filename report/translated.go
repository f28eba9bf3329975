package report

import (
	"errors"
	"io/fs"
	"math"
	"strings"

	"imdbexp/internal/bleu"
	"imdbexp/runs"
)

// TranslationBins is how many bins of sentence lengths exact match is shown in.
const TranslationBins = 6

// Decoded is what came of one way of decoding the test pairs, in percent.
type Decoded struct {
	Exact float64 // translations that are word for word the reference
	BLEU  float64 // of their words as they are
}

// Translated is what a run made of the test pairs, from its translations.tsv.
type Translated struct {
	Greedy, Beam Decoded
	Lengths      []LengthBin // of greedy decoding, by words of the source; Right are exact
}

// Translations sums up a run's translations, one or more.
func Translations(list []runs.Translation) Translated {
	var greedy, beam bleu.Corpus
	var sentences []lengthened
	exact := 0
	for _, t := range list {
		reference := strings.Fields(t.Reference)
		greedy.Add(strings.Fields(t.Greedy), reference)
		beam.Add(strings.Fields(t.Beam), reference)
		sentences = append(sentences, lengthened{len(strings.Fields(t.Source)), t.Greedy == t.Reference})
		if t.Beam == t.Reference {
			exact++
		}
	}
	out := Translated{Lengths: lengthBins(sentences, TranslationBins)}
	right, n := 0, float64(len(list))
	for _, b := range out.Lengths {
		right += b.Right
	}
	out.Greedy = Decoded{100 * float64(right) / n, greedy.Score().BLEU}
	out.Beam = Decoded{100 * float64(exact) / n, beam.Score().BLEU}
	return out
}

// at returns the exact match in the i-th bin, in percent; NaN where there is none, as
// in a file that somebody has cut.
func (t *Translated) at(i int) float64 {
	if i >= len(t.Lengths) {
		return math.NaN()
	}
	return 100 * t.Lengths[i].Accuracy()
}

// translated reads the translations of a finished run; nil where it has none.
func translated(run *runs.Run) (*Translated, error) {
	if !run.Config.Translates() || run.Status.State != runs.Finished {
		return nil, nil
	}
	list, err := run.Translations()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil, nil // test=never
	}
	if err != nil {
		return nil, err
	}
	t := Translations(list)
	return &t, nil
}

// translates reports whether the runs of a block translate; what data they saw
// decides it.
func (b *Block) translates() bool {
	for _, c := range b.all() {
		return c.translates()
	}
	return false
}

func (c *Cell) translates() bool { return c.Runs[0].Config.Translates() }

// Score picks the number that a cell is judged by, for Stat: the exact match of
// translations, the accuracy of classes.
func (c *Cell) Score() func(Numbers) float64 { return scoreOf(&c.Runs[0].Config) }

// scoreOf picks the same of a run.
func scoreOf(c *runs.Config) func(Numbers) float64 {
	if c.Translates() {
		return func(n Numbers) float64 { return n.TestExact }
	}
	return TestAcc
}

// bleu is the mean over the seeds; NaN of runs that do not translate.
func (c *Cell) bleu() float64 { return c.Stat(func(n Numbers) float64 { return n.TestBLEU }).Mean }

// Translated sums up a number of the translations over the seeds.
func (c *Cell) Translated(of func(Translated) float64) Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = math.NaN()
		if r.Translated != nil {
			values[i] = of(*r.Translated)
		}
	}
	return Summarise(values)
}

// translationTables set greedy decoding beside beam search, and short sentences
// beside long ones; nil for runs that do not translate, or have not yet.
func (b *Block) translationTables() []*table {
	var bins []LengthBin
	for _, row := range b.Rows {
		for _, c := range row.Cells {
			if t := c.Runs[0].Translated; t != nil {
				bins = t.Lengths // the same of all: they saw the same pairs
			}
		}
	}
	if bins == nil {
		return nil
	}
	decoded := &table{caption: "Greedy decoding and beam search", columns: []column{{left: true, keep: true}, {head: "variant", left: true, level: 1},
		{head: "exact, greedy"}, {head: "exact, beam"}, {head: "BLEU, greedy", level: 1}, {head: "BLEU, beam", level: 1}}}
	lengths := &table{caption: "Exact match by words of the source, greedy", folds: 2, columns: []column{
		{head: "exact by source words", left: true, keep: true}, {head: "variant", left: true, level: 2}}}
	for _, bin := range bins {
		lengths.columns = append(lengths.columns, column{head: bin.Range()})
	}
	for _, row := range b.Rows {
		for _, v := range b.Variants {
			c := row.Cells[v]
			if c == nil || c.Runs[0].Translated == nil {
				continue
			}
			line := func(decimals int, of ...func(Translated) float64) []entry {
				out := []entry{{text: row.Label()}, {text: v}}
				for _, f := range of {
					out = append(out, entry{text: fixed(c.Translated(f).Mean, decimals)})
				}
				return out
			}
			decoded.add(line(2, func(t Translated) float64 { return t.Greedy.Exact }, func(t Translated) float64 { return t.Beam.Exact },
				func(t Translated) float64 { return t.Greedy.BLEU }, func(t Translated) float64 { return t.Beam.BLEU })...)
			var shares []func(Translated) float64
			for i := range bins {
				shares = append(shares, func(t Translated) float64 { return t.at(i) })
			}
			lengths.add(line(1, shares...)...)
		}
	}
	return []*table{decoded, lengths}
}
