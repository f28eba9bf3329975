package draw

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	G "gorgonia.org/gorgonia"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

type timeOptions struct {
	models  []string
	lengths []int
	words   int
	seconds float64
	out     string
}

// Limits of the measurement.
const (
	maxWords  = 1 << 20
	maxModels = 3 // that a figure can distinguish
)

func newTime(a *cli.App) *cobra.Command {
	o := timeOptions{models: []string{"lstm", "self"}, lengths: []int{64, 128, 256, 512, 1024, 2048, 4096}, words: 16384, seconds: 1}
	cmd := &cobra.Command{
		Use:   "time",
		Short: "Measure and draw training time against review length",
		Long: `Measure a training step (forward, backward, Adam) on reviews of n words each, with the
same number of words in all, and draw nanoseconds per word against n. A review costs an
LSTM O(n·d²), so a word costs the same for every n. It costs self-attention O(n²·d), so a
word costs more in longer reviews.`,
		Example: "  exp draw time\n  exp draw time --lengths 64,256,1024 --words 4096 --models self",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return cli.Usage(err)
			}
			return drawTime(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.models, "models", o.models, "models, with their default settings")
	f.IntSliceVar(&o.lengths, "lengths", o.lengths, "words of a review")
	f.IntVar(&o.words, "words", o.words, "words in a batch")
	f.Float64Var(&o.seconds, "seconds", o.seconds, "minimum time of each measurement")
	a.PictureFlag(cmd, &o.out)
	cmd.RegisterFlagCompletionFunc("models", cobra.FixedCompletions(models.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *timeOptions) check() error {
	if len(o.models) == 0 || len(o.models) > maxModels {
		return fmt.Errorf("--models: want 1 to %d", maxModels)
	}
	for _, m := range o.models {
		if _, err := models.Lookup(m); err != nil {
			return fmt.Errorf("--models: %w", err)
		}
	}
	if o.words < 1 || o.words > maxWords {
		return fmt.Errorf("--words %d: want 1 to %d", o.words, maxWords)
	}
	if !(o.seconds > 0) {
		return fmt.Errorf("--seconds %g: want more than 0", o.seconds)
	}
	if len(o.lengths) == 0 {
		return fmt.Errorf("--lengths: want at least one")
	}
	for _, n := range o.lengths {
		if n < 1 || n > o.words {
			return fmt.Errorf("--lengths: a review of %d words; want 1 to the %d of a batch (--words)", n, o.words)
		}
	}
	slices.Sort(o.lengths)
	o.lengths = slices.Compact(o.lengths)
	return nil
}

// order is the expected growth of the cost of a word with the length n of its review.
type order struct {
	name  string
	power float64
}

var (
	linear    = order{"O(n·d²) a review: flat", 0}
	quadratic = order{"O(n²·d) a review: rises as n", 1}
	orders    = map[string]order{"lstm": linear, "self": quadratic, "multihead": quadratic, "transformer": quadratic}
)

// guides returns the expected order of each line, each order once.
func guides(lines []chart.Line) (out []chart.Line) {
	drawn := map[order]bool{}
	for _, l := range lines {
		o, known := orders[l.Name]
		if !known || drawn[o] {
			continue
		}
		drawn[o] = true
		at := len(l.X) / 2
		if o.power > 0 { // a rising cost dominates at the end
			at = len(l.X) - 1
		}
		first, last := l.X[0], l.X[len(l.X)-1]
		out = append(out, chart.Line{Name: o.name, Guide: true, X: []float64{first, last}, Y: []float64{l.Y[at] * math.Pow(first/l.X[at], o.power), l.Y[at] * math.Pow(last/l.X[at], o.power)}})
	}
	return out
}

func drawTime(ctx context.Context, a *cli.App, o timeOptions) error {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	machine := fmt.Sprintf("%s, %s, %d workers", e.CPU, e.SIMD, a.Workers)
	l := chart.Lines{
		Name: "time", Title: "Time of a training step against the length of reviews", Size: canvas.Tall,
		Caption: fmt.Sprintf("%d words in a batch, vectors of %d numbers, default settings · %s", o.words, stepWidth, machine),
	}
	p := chart.Panel{X: "words in a review, n", Y: "time a word (ns)", XAxis: chart.Axis{Log: true, Margin: 0.03}, YAxis: chart.Axis{Log: true, Margin: 0.06, Min: 0.3}}
	for _, n := range o.lengths {
		p.XAxis.At = append(p.XAxis.At, float64(n))
	}
	nanoseconds, err := measureTimes(ctx, a, o)
	if err != nil {
		return err
	}
	columns := []term.Column{{Head: "n", Right: true}}
	for i, name := range o.models {
		columns = append(columns, term.Column{Head: name + " ns/word", Right: true})
		p.Lines = append(p.Lines, chart.Line{Name: name, X: p.XAxis.At, Y: nanoseconds[i], Dots: true})
	}
	p.Lines = append(p.Lines, guides(p.Lines)...)
	l.Panels = []chart.Panel{p}
	t := term.NewTable(columns...)
	for k, n := range o.lengths {
		cells := []string{strconv.Itoa(n)}
		for i := range o.models {
			cells = append(cells, strconv.FormatFloat(nanoseconds[i][k], 'f', 1, 64))
		}
		t.Add(cells...)
	}
	a.Say(l.Caption, "", "  ")
	t.Print(a.IO)
	f, err := l.Figure()
	if err != nil {
		return err
	}
	return a.WritePicture(f, canvas.Tall, o.out,
		"Thin lines: the expected order of each. If a line departs from it, something else costs more: in short reviews the cost per word, in long ones idle cores.")
}

// measureTimes returns nanoseconds per word for each model and length.
func measureTimes(ctx context.Context, a *cli.App, o timeOptions) ([][]float64, error) {
	var shown *progress.Bar
	if a.IO.Terminal() {
		shown = progress.NewBar(a.IO)
		defer shown.Stop()
	}
	var out [][]float64
	total := int64(len(o.models) * len(o.lengths))
	for _, name := range o.models {
		s, err := newStepper(name, a.Workers)
		if err != nil {
			return nil, err
		}
		defer s.close()
		var line []float64
		for _, n := range o.lengths {
			if shown != nil {
				shown.Set(int64(len(out)*len(o.lengths)+len(line)), total, name, fmt.Sprintf("n = %d", n))
			}
			b := uniform(n, o.words)
			spent, err := s.time(ctx, b, time.Duration(o.seconds*float64(time.Second)))
			if err != nil {
				return nil, fmt.Errorf("%s at %d words: %w", name, n, err)
			}
			line = append(line, float64(spent.Nanoseconds())/float64(b.Words()))
		}
		out = append(out, line)
	}
	return out, nil
}

// stepper runs training steps of a model on synthetic batches.
type stepper struct {
	pool    *ops.Pool
	network *models.Network
	weights *models.Weights
	solver  optim.Optimizer
	table   []float32 // [stepperWords, stepWidth]
	grads   []G.ValueGrad
	step    uint64
}

// stepperWords is the size of the vocabulary.
const stepperWords = 5000

// stepWidth is the width of the word vectors.
const stepWidth = 50

// newStepper builds a model with its default settings.
func newStepper(name string, workers int) (*stepper, error) {
	info, err := models.Lookup(name)
	if err != nil {
		return nil, err
	}
	var run settings.Run
	model := info.New()
	if _, err := settings.New(&run, model); err != nil {
		return nil, err
	}
	const classes = 2
	s := &stepper{pool: ops.NewPool(workers), weights: models.NewWeights(run.Seed), table: make([]float32, stepperWords*stepWidth)}
	simd.Normal(s.table, simd.Key(run.Seed, "words"), 0, 0.5)
	s.network, err = models.NewNetwork(models.Spec{
		Model: model, Weights: s.weights, Pool: s.pool, In: stepWidth, Out: classes, Training: true, Seed: run.Seed,
	})
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	s.solver = optim.NewAdam(run.LR, optim.AdamOptions{Beta1: run.Beta1, Beta2: run.Beta2, Epsilon: run.Epsilon})
	return s, nil
}

func (s *stepper) close() error {
	defer s.pool.Close()
	return s.network.Close()
}

// uniform returns a batch of as many reviews of n words as fit into the given
// number of words, at least one.
func uniform(n, words int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}}
	for i := range max(1, words/n) {
		b.Offsets = append(b.Offsets, (i+1)*n)
		b.Reviews = append(b.Reviews, int32(i))
		b.Labels = append(b.Labels, int32(i%2))
	}
	b.IDs = make([]int32, b.Offsets[b.Len()])
	for i := range b.IDs {
		b.IDs[i] = int32(i % stepperWords)
	}
	return b
}

// time returns the shortest time of a step. It measures for about the given duration, at
// least three steps after a first that does not count. Other processes can only add time.
func (s *stepper) time(ctx context.Context, b *ragged.Batch, duration time.Duration) (time.Duration, error) {
	in := models.Inputs{Table: s.table}
	if s.network.NeedsMeans() {
		in.Means = make([]float32, b.Len()*stepWidth)
	}
	var best, spent time.Duration
	for steps := 0; steps < 4 || spent < duration; steps++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := s.make(b, in); err != nil {
			return 0, err
		}
		took := time.Since(began)
		switch {
		case steps == 0:
			continue
		case best == 0 || took < best:
			best = took
		}
		spent += took
	}
	if best <= 0 {
		return 0, errors.New("the clock of this machine does not advance within a step: use more --words")
	}
	return best, nil
}

// make runs one training step.
func (s *stepper) make(b *ragged.Batch, in models.Inputs) error {
	s.step++
	if err := s.network.Run(b, in, s.step); err != nil {
		return err
	}
	s.grads = s.grads[:0]
	for i, w := range s.weights.List() {
		s.grads = append(s.grads, optim.Weight{W: w.Data, G: s.network.Gradient(i)})
	}
	return s.solver.Step(s.grads)
}
