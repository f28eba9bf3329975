// Package draw is exp draw: a figure of the dot products of words.
package draw

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// New returns exp draw.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Draw the dot products of words with their positions",
		Long: `Draw the dot products of words with their positions; exp report draws curves of runs.
docs/figures.md explains how to read them. --out FILE.svg or FILE.png writes that
format; without an ending both are written.`,
		Example: "  exp draw dots @last 'a great film'",
		Args:    cli.OnlyCommands,
		RunE: func(*cobra.Command, []string) error {
			return cli.Usage(errors.New("draw what? dots"))
		},
	}
	cmd.AddCommand(newDots(a))
	return cmd
}

type dotsOptions struct {
	review string
	pad    int
	out    string
}

func newDots(a *cli.App) *cobra.Command {
	var o dotsOptions
	cmd := &cobra.Command{
		Use:   "dots RUN|EXPERIMENT [TEXT|-]",
		Short: "Draw the dot products of a review's words, each with its position",
		Long: `Draw the dot products of a review's words with their positions added, as a run's model
sees them (figure 18 of the report), and next to it the same review padded with zero
vectors, as in the original.

TEXT is any text; - reads it from standard input; --review names one of the run's data.
By default it is a test review of about 94 words.`,
		Example: "  exp draw dots @last\n  exp draw dots tme9-lstm 'not a good film , but a great one'\n  exp draw dots @last --review test/pos/0_10 --pad 0 --out dots.png",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("name a run; @last is the newest")
			case len(args) > 1 && o.review != "":
				return errors.New("give a text or --review, not both")
			}
			return nil
		},
		ValidArgsFunction: a.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.pad < 0 || o.pad > maxPositions {
				return cli.Usage(fmt.Errorf("--pad %d: want 0 to %d", o.pad, maxPositions))
			}
			if _, err := cli.PictureFiles(o.out); err != nil {
				return err
			}
			return drawDots(cmd.Context(), a, args[0], args[1:], o)
		},
	}
	cmd.Flags().StringVar(&o.review, "review", "", "ID of a review of the run's data, such as test/pos/0_10")
	cmd.Flags().IntVar(&o.pad, "pad", usualPad, "words of the padded review; 0: only the review itself")
	cmd.Flags().StringVar(&o.out, "out", "", "file to write, .svg or .png; without an ending both (default: the name of the figure, in this folder)")
	a.TitleFlag(cmd)
	return cmd
}

// usualPad is the length to which the original padded the review of figure 18.
const usualPad = 915

func drawDots(ctx context.Context, a *cli.App, ref string, words []string, o dotsOptions) error {
	run, err := a.RunOf(ref)
	if err != nil {
		return err
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	v, err := openVocabulary(run, pool)
	if err != nil {
		return err
	}
	defer v.Close()
	p, err := positionsOf(&run.Config, v)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	text, what, err := textFor(ctx, a, run, words, o.review)
	if err != nil {
		return err
	}
	s, err := v.see(text)
	if err != nil {
		return fmt.Errorf("%s: %s %w", run.Label(), what, err)
	}
	m, err := dotMatrices(s, p, v.Dim(), o.pad)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	about := fmt.Sprintf("%s: %s, %d without a vector", what, format.Counted(len(s.words)-s.front, "word"), s.unknown)
	caption := fmt.Sprintf("%s · %s · %s", run.Label(), about, p)
	if v.cls {
		caption += " · [CLS] may lie beyond the scale, which is the words'"
	}
	title := "Dot products of position-encoded words"
	if len(words) == 0 && run.Config.Data.Name == "imdb" { // the published report's is of a review of IMDB
		title = "Figure 18. " + title
	}
	f, err := chart.Heatmaps("dots-"+run.Config.Name, title, caption, m...)
	if err != nil {
		return err
	}
	a.Say(about, "", "  ")
	see := "Light rows are rare words; frequent ones point the same way and are dark among themselves. The bands along the diagonal are the positions'."
	if len(m) > 1 { // padded
		see += " Padding shows only bands: zero vectors with positions, which the original used like words."
	}
	return a.WritePicture(f, o.out, see)
}

// dotMatrices returns the dot products of the words, and if pad is larger, of the padded
// words.
func dotMatrices(s seen, p positions, d, pad int) ([]chart.Matrix, error) {
	n := len(s.words)
	all := max(n, pad)
	rows := slices.Concat(s.vectors, make([]float32, (all-n)*d))
	if err := p.add(rows, d); err != nil {
		return nil, err
	}
	g := newGram(rows, all, d)
	low, high := g.limits(s.front)
	out := []chart.Matrix{{Title: "the review's words", X: "word", Y: "word", Rows: n, Cols: n, At: g.at, Low: low, High: high}}
	if n <= 40 { // more words cannot be named at the sides
		out[0].Words, out[0].X, out[0].Y = s.words, "", ""
	}
	if all > n {
		out = append(out, chart.Matrix{Title: fmt.Sprintf("padded to %d, as the original", all), X: "word", Y: "word", Rows: all, Cols: all, At: g.at, Low: low, High: high})
	}
	out[len(out)-1].Bar = true
	return out, nil
}

// usualWords is the length of the review in the report's figure 18.
const usualWords = 94

// textFor returns the given words, standard input, a review by its ID, or a review of the usual
// length, and what to call it.
func textFor(ctx context.Context, a *cli.App, run *runs.Run, words []string, review string) (text, what string, err error) {
	if len(words) > 0 {
		text, err = cli.TypedText(a.IO, words)
		return text, "the text given", err
	}
	dir, err := a.Installed()
	if err == nil && review == "" {
		review, err = usualReview(run)
	}
	if err != nil {
		return "", "", err
	}
	if text, err = infer.Text(ctx, dir, run, review); err != nil {
		err = fmt.Errorf("%w; a text needs no data: %s", err, a.Command("draw", "dots", run.Label(), "some text"))
	}
	return text, "review " + review, err
}

// usualReview returns the test review of a run with the length nearest to the usual one.
func usualReview(run *runs.Run) (string, error) {
	p, err := run.Predictions()
	if err != nil {
		return "", err
	}
	if len(p.Rows) == 0 {
		return "", fmt.Errorf("%s has no test reviews", run.Label())
	}
	away := func(r runs.Prediction) int { return max(r.Words-usualWords, usualWords-r.Words) }
	return slices.MinFunc(p.Rows, func(a, b runs.Prediction) int { return away(a) - away(b) }).Review, nil
}

// vocabulary is a run's model, used for its words and their vectors.
type vocabulary struct {
	*infer.Model
	cls bool // [CLS] comes before the words
}

func openVocabulary(run *runs.Run, pool *ops.Pool) (*vocabulary, error) {
	m, err := infer.Open(run, pool)
	if err != nil {
		return nil, err
	}
	if m.Scorer() != nil {
		return nil, errors.Join(fmt.Errorf("%s: %sit has no word vectors to draw", run.Label(), infer.NoGraph), m.Close())
	}
	return &vocabulary{m, run.Config.Setting("pool") == "cls"}, nil
}

// seen is a text as a run's model sees it.
type seen struct {
	words          []string  // [n] with [CLS], where the model puts it first
	vectors        []float32 // [n, d]
	front, unknown int       // number of [CLS], and of words without a vector
}

// see splits a text into words and looks up their vectors.
func (v *vocabulary) see(text string) (seen, error) {
	found := v.Encode(text)
	var s seen
	switch {
	case infer.Wordless(found.Words):
		return s, errors.New("has no words to draw")
	case len(found.Words) > maxPositions:
		return s, fmt.Errorf("has %d words; at most %d can be drawn", len(found.Words), maxPositions)
	}
	if v.cls {
		cls, err := v.Weight("cls")
		if err != nil {
			return s, err
		}
		s.words, s.vectors, s.front = []string{infer.CLS}, slices.Clone(cls), 1
	}
	for i, w := range found.Words {
		s.words, s.vectors = append(s.words, w.Word), append(s.vectors, v.Vector(found.Rows[i])...)
		if !found.Known[i] {
			s.unknown++
		}
	}
	return s, nil
}

// maxPositions is the maximum number of words of a drawing; more would not be distinguishable.
const maxPositions = 5000

var layouts = map[string]ops.PositionLayout{"sinusoid": ops.Interleaved, "halves": ops.Halves}

type positions struct {
	kind  string // sinusoid, halves or learned
	base  float64
	table []float32 // of learned ones [max, d]
	added bool      // for the drawing: the model has none
}

// positionsOf returns the encodings of a run, or those of Vaswani et al. if it has none.
func positionsOf(c *runs.Config, v *vocabulary) (positions, error) {
	p := positions{kind: c.Setting("positions"), base: 10000}
	switch p.kind {
	case "", "none":
		p.kind, p.added = "sinusoid", true
	case "learned":
		var err error
		p.table, err = v.Weight("positions")
		return p, err
	}
	if b := c.Setting("positions.base"); b != "" && !p.added {
		var err error
		if p.base, err = strconv.ParseFloat(b, 64); err != nil {
			return p, fmt.Errorf("positions.base=%s: %w", b, err)
		}
	}
	return p, nil
}

// String describes the encoding in a caption.
func (p positions) String() string {
	what := "learned positions"
	if p.table == nil {
		what = fmt.Sprintf("positions=%s, base %g", p.kind, p.base)
	}
	if p.added {
		what += ", added for the drawing (the model has none)"
	}
	return what
}

// add adds the encodings of the positions from 0 to rows [n, d].
func (p positions) add(rows []float32, d int) error {
	n := len(rows) / d
	if p.table != nil {
		if n*d > len(p.table) {
			return fmt.Errorf("the text has %d words, but the run has learned %d positions", n, len(p.table)/d)
		}
		simd.Add(rows, p.table[:n*d])
		return nil
	}
	layout, known := layouts[p.kind]
	if !known {
		return fmt.Errorf("positions=%s cannot be drawn", p.kind)
	}
	row := make([]float32, d)
	for i := range n {
		ops.PositionEncoding(row, i, d, p.base, layout)
		simd.Add(rows[i*d:][:d], row)
	}
	return nil
}

type gram struct {
	n      int
	values []float32 // [n, n]
}

// newGram returns the dot products of rows [n, d].
func newGram(rows []float32, n, d int) gram {
	g := gram{n: n, values: make([]float32, n*n)}
	for i := range n {
		simd.DotRows(g.values[i*n:][:n], rows, d, d, rows[i*d:][:d])
	}
	return g
}

func (g gram) at(i, j int) float64 { return float64(g.values[i*g.n+j]) }

// limits returns the smallest and the largest product among the rows from after on.
func (g gram) limits(after int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := after; i < g.n; i++ {
		row := g.values[i*g.n:][after:g.n]
		low, high = min(low, float64(slices.Min(row))), max(high, float64(slices.Max(row)))
	}
	return low, high
}
