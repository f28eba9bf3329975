// Package leaderboard ranks finished settings by their accuracy on the 25 000 test reviews of IMDB,
// among published results, with cost and training data of each. Results with outside data are ranked
// separately; those of Unranked, and accuracies on other reviews, have no rank.
package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/report/tables"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

// Board is a leaderboard: a block for each set of reviews.
type Board struct {
	render.View
	Blocks []Block
}

// Block holds the settings tested on the same reviews, and published results on IMDB.
type Block struct {
	Title string
	IMDB  bool // its rows are ranked, within each part
	Rows  []Row
}

// The parts of a block, in their order.
const (
	Alone    = iota // learned from the reviews of the data alone
	Outside         // learned from other data too
	Unranked        // chosen on the test set, learned from its texts, or not comparable
)

// Row is a setting, averaged over its seeds, or a published result.
type Row struct {
	Name string // as the user would type it, or the paper of a published result
	Part int
	Rank int // within its part, from 1; 0 for none

	Accuracy  stats.Moments  // over the seeds, in percent
	Wilson    stats.Interval // 95 %, over the reviews
	Rewritten float64        // accuracy on the rewritings of a probe of minimal pairs, in percent; NaN if unknown
	Weights   Weights
	Seconds   float64 // of the training passes, mean over the seeds; NaN if unknown
	Whole     float64 // of whole runs from opening the data, mean over the seeds; NaN if unknown
	Machine   string
	Seen      Seen
	Chosen    string // the data on which the epoch was chosen; "" for none

	Runs      []*report.Result      // by seed; nil for a published result
	Published *published.IMDBResult // nil for runs
	Notes     []report.Note
}

// Build makes the leaderboard of the runs.
func Build(list []*runs.Run, o tables.Options) *Board {
	rep := tables.Build(list, o)
	b := &Board{}
	b.LeftOut, b.Message = rep.LeftOut, rep.Message
	left := map[report.Kind]int{}
	for _, block := range rep.Blocks {
		own := Block{Title: block.Title}
		for label, c := range block.All() {
			own.IMDB = report.TestsIMDB(&c.Runs[0].Config) // the same for the whole block
			switch {
			case c.Task() != runs.Reviews:
				left[report.OtherData]++
			case c.Runs[0].Trial():
				left[report.Untested]++
			case !c.Runs[0].Finished:
				left[report.Unfinished]++
			default:
				own.Rows = append(own.Rows, measured(label, c, own.IMDB))
			}
		}
		if len(own.Rows) == 0 {
			continue
		}
		if own.IMDB {
			own.Title = "IMDB, " + format.Thousands(report.IMDBTest) + " test reviews"
			for i := range published.IMDB() {
				own.Rows = append(own.Rows, fromPaper(&published.IMDB()[i]))
			}
		}
		own.rank()
		b.Blocks, b.Sections = append(b.Blocks, own), append(b.Sections, own.section())
	}
	if len(b.Blocks) == 0 && b.Message == "" {
		b.Message = "no finished run was tested on reviews; exp report lists all runs"
	}
	for _, why := range []report.Note{
		{Kind: report.Unfinished, Text: "without a final accuracy"},
		{Kind: report.Untested, Text: "such as the trials of a search, which are ranked on validation reviews: see exp report"},
		{Kind: report.OtherData, Text: "translations, which have no classes"},
	} {
		if n := left[why.Kind]; n > 0 {
			why.Text = format.Counted(n, "setting") + ", " + why.Text
			b.LeftOut = append(b.LeftOut, why)
		}
	}
	return b
}

// rank sorts the rows by part and accuracy, and ranks those on IMDB. Equally accurate rows share a
// rank.
func (b *Block) rank() {
	slices.SortStableFunc(b.Rows, func(x, y Row) int {
		return cmp.Or(x.Part-y.Part, -cmp.Compare(x.Accuracy.Mean, y.Accuracy.Mean), cmp.Compare(x.Name, y.Name))
	})
	for i := range b.Rows {
		r := &b.Rows[i]
		if !b.IMDB || r.Part == Unranked {
			continue
		}
		r.Rank = 1
		for _, o := range b.Rows {
			if o.Part == r.Part && o.Accuracy.Mean > r.Accuracy.Mean {
				r.Rank++
			}
		}
	}
}

// measured returns the row of a finished setting.
func measured(name string, c *tables.Cell, imdb bool) Row {
	first, chosen := c.Runs[0], ""
	switch g := first.Config.General(); { // notes of kind Tested say where the best of several settings may have been chosen on the test set
	case g.Select != runs.Best && g.Patience == 0:
	case g.ChooseOnTest:
		chosen = published.Test
	default:
		chosen = published.Validation
	}
	r := Row{Name: name, Accuracy: c.Stat("test_acc"), Rewritten: rewritten(c.Runs), Runs: c.Runs, Seen: seenBy(first.Run), Chosen: chosen}
	if v := first.Variant(); v != "default" {
		r.Name += " " + v
	}
	shown := []report.Kind{report.Older, report.Damaged, report.Repeated, report.Tested, report.Unlearned, report.Overlapping}
	r.Notes = report.Filter(c.Notes, func(n report.Note) bool { return slices.Contains(shown, n.Kind) })
	var err error
	r.Wilson = c.Interval()
	if r.Weights, err = weights(first); err != nil {
		r.Notes = append(r.Notes, report.Note{Kind: report.Damaged, Text: err.Error()})
	}
	r.Seconds, r.Whole, r.Machine = cost(c.Runs)
	switch n := first.Counted(); {
	case r.Chosen == published.Test:
		r.Part = Unranked
	case imdb && n < report.IMDBTest:
		r.Part = Unranked
		r.Notes = append(r.Notes, report.Note{Kind: report.OtherData, Text: fmt.Sprintf("the accuracy is over %s of the test reviews (slip.drop_last)", format.Thousands(n))})
	case r.Seen.Outside != "":
		r.Part = Outside
	}
	return r
}

// rewritten returns the accuracy of runs on the rewritings of the probe that they have answered, or of
// the probe with the most pairs; NaN for none.
func rewritten(list []*report.Result) float64 {
	best, largest := math.NaN(), 0
	probes, _ := compare.Probes(report.Map(list, func(r *report.Result) *runs.Run { return r.Run })) // exp report --probe says what cannot be read
	for _, t := range probes {
		if accuracy, pairs := t.Rows[0].OnRewritings(t); pairs > largest && len(t.Rows[0].Runs) == len(list) {
			best, largest = accuracy, pairs
		}
	}
	return best
}

// fromPaper returns the row of a published result.
func fromPaper(p *published.IMDBResult) Row {
	r := Row{
		Name: p.Paper, Accuracy: stats.Summarise([]float64{p.Accuracy}), Rewritten: math.NaN(), Published: p, Weights: Weights{Dense: p.Weights}, Seconds: math.NaN(), Whole: math.NaN(),
		Seen: Seen{p.Labels, p.Unlabelled, p.Outside, p.TestTexts}, Chosen: cmp.Or(p.Chosen, "?"),
	}
	r.Wilson = stats.WilsonPercent(p.Accuracy, report.IMDBTest)
	switch {
	case p.Chosen == published.Test || p.TestTexts || p.Doubt != "":
		r.Part = Unranked
	case p.Outside != "":
		r.Part = Outside
	}
	if p.Doubt != "" {
		r.Notes = append(r.Notes, report.Note{Kind: report.Doubted, Text: p.Doubt})
	}
	if p.Remark != "" {
		r.Notes = append(r.Notes, report.Note{Kind: report.Source, Text: p.Remark})
	}
	if p.Checked != published.InPaper {
		r.Notes = append(r.Notes, report.Note{Kind: report.Unchecked, Text: "as given by " + p.Checked + "; the paper itself was not available"})
	}
	return r
}

// Weights counts the learned parameters, without word vectors from elsewhere.
type Weights struct {
	Dense   int // of the model and its word vectors
	Vectors int // of word vectors trained with the model, or before it on the texts
	Sparse  int // of n-grams: one for each, or one for each class
}

// vectorsWeight names trained word vectors in a checkpoint (models.VectorsWeight).
const vectorsWeight = "vectors"

// weights counts the weights in the checkpoint of a finished run, and in its table of vectors if
// these were trained on its corpus.
func weights(r *report.Result) (w Weights, err error) {
	c, err := r.Run.Checkpoint(r.Run.ChosenCheckpoint())
	if err != nil {
		return w, err
	}
	for _, p := range r.Config.Learned(c) {
		switch {
		case p.Name == vectorsWeight:
			w.Vectors, w.Dense = p.Size, w.Dense+p.Size
		case p.Ngrams:
			w.Sparse += p.Size
		default:
			w.Dense += p.Size
		}
	}
	if g := r.Config.General(); g.Vectors.Vectors == "corpus" && r.Config.Table != "" && w.Vectors == 0 {
		t, err := r.Run.Table()
		if err != nil {
			return w, err
		}
		w.Vectors, w.Dense = len(t.Rows), w.Dense+len(t.Rows)
	}
	return w, nil
}

// cost returns the seconds of the training passes and of whole runs, means over the runs, and the
// machines. Files that cannot be read are skipped.
func cost(list []*report.Result) (seconds, all float64, machine string) {
	var machines []string
	passes := report.Map(list, func(r *report.Result) float64 { return withStart(r.Run, passes) })
	whole := report.Map(list, func(r *report.Result) float64 {
		return withStart(r.Run, func(run *runs.Run) float64 {
			sessions, _ := run.Environments()
			for _, e := range sessions {
				if e.CPU != "" {
					machines = report.Union(machines, fmt.Sprintf("%s, %d×%s", e.CPU, e.Workers, e.SIMD))
				}
			}
			return runs.Seconds(sessions)
		})
	})
	return stats.Summarise(passes).Mean, stats.Summarise(whole).Mean, strings.Join(machines, "; ")
}

// passes returns the seconds of a run's training passes.
func passes(run *runs.Run) float64 {
	if seconds, ok := run.Trained(); ok {
		return seconds
	}
	return math.NaN()
}

// withStart adds the seconds of the runs from which a run began, one after the other.
func withStart(run *runs.Run, of func(*runs.Run) float64) float64 {
	from, starts := run.Start()
	switch {
	case from != nil:
		return of(run) + withStart(from, of)
	case starts:
		return math.NaN()
	}
	return of(run)
}

// Seen is the data that a result was learned from.
type Seen struct {
	Labels     int    // labelled reviews, including validation reviews
	Unlabelled int    // texts without labels; −1: an unknown number
	Outside    string // outside data; "" for none
	TestTexts  bool   // the texts of the test reviews
}

// unlabelledIMDB is the number of unlabelled training reviews of IMDB.
const unlabelledIMDB = 50_000

// seenBy returns the data that a run learned from, and the runs from which it began. Vectors of the corpus and language
// models are trained on the texts of all training reviews, with those that data.train omits, and of the unlabelled ones.
func seenBy(run *runs.Run) Seen {
	c := &run.Config
	s := Seen{Labels: c.Data.Train.Reviews + c.Data.Valid.Reviews}
	vectors := ""
	if c.Digests["vectors"] != "" { // the model uses some
		vectors = c.General().Vectors.Vectors
	}
	texts := vectors == "corpus" || c.Data.Kind == runs.TextsKind
	if c.Data.Kind == runs.TextsKind {
		s.Labels = 0
	}
	if vectors != "corpus" && vectors != "random" {
		s.Outside = vectors
	}
	from, starts := run.Start()
	if from != nil {
		before := seenBy(from)
		s.Labels, texts = max(s.Labels, before.Labels), texts || before.Unlabelled != 0
	}
	switch {
	case starts && from == nil:
		s.Unlabelled = -1
	case texts && report.TestsIMDB(c):
		s.Unlabelled = unlabelledIMDB + report.IMDBTrain - s.Labels
	case texts:
		s.Unlabelled = -1
	}
	return s
}

// String formats the data as in "25 000, 50 000 texts, glove50".
func (s Seen) String() string {
	out := []string{format.Thousands(s.Labels)}
	switch {
	case s.Unlabelled > 0:
		out = append(out, format.Thousands(s.Unlabelled)+" texts")
	case s.Unlabelled < 0:
		out = append(out, "its texts")
	}
	if s.TestTexts {
		out = append(out, "test texts")
	}
	if s.Outside != "" {
		out = append(out, s.Outside)
	}
	return strings.Join(out, ", ")
}
