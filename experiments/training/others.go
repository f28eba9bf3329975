package training

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ragged"
	"imdbexp/models"
	"imdbexp/runs"
)

// baseOf returns the attention and the predictions of the base run on a split.
type baseOf func(e *dataset.Encoded) (*models.Base, error)

const baseKey = "attention.base"

// others holds what a run needs from other runs: predictions and weights.
type others struct {
	base  baseOf // nil if no other run is needed
	start *start // nil if it starts from random weights
}

// others opens the runs that a plan needs.
func (r *Runner) others(ctx context.Context, p *plan.Plan, d *task.Data) (o others, err error) {
	if o.base, err = r.base(ctx, p, d); err == nil {
		o.start, err = r.start(ctx, p, d)
	}
	return o, err
}

// cite finds the run that a setting of a plan names and replaces the name by its citation, which becomes
// part of the plan's ID. It returns nil if the setting names none.
func (r *Runner) cite(p *plan.Plan, key, ref string) (*runs.Run, error) {
	if ref == "" {
		return nil, nil
	}
	other, err := r.named(ref, p.Run.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", key, ref, err)
	}
	citation, err := other.Citation()
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", key, ref, err)
	}
	s, _ := p.Set.Get(key)
	return other, p.Set.Put(key, citation.String(), s.From)
}

// named returns the run with a name. If several runs have the name, it returns the one with the seed.
func (r *Runner) named(ref string, seed uint64) (*runs.Run, error) {
	find := r.Named
	if find == nil {
		find = func(ref string) ([]*runs.Run, error) { return runs.Match(r.Dir, ref) }
	}
	list, err := find(ref)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		list = slices.DeleteFunc(slices.Clone(list), func(x *runs.Run) bool { return x.Config.Seed() != seed })
	}
	switch len(list) {
	case 0:
		return nil, fmt.Errorf("it has no run with seed %d: train one, or name another run", seed)
	case 1:
		return list[0], nil
	}
	return nil, fmt.Errorf("it names %d runs with seed %d: name one by its ID", len(list), seed)
}

// base opens the base run of a plan for evaluation on the plan's data. It returns nil if the plan
// needs none.
func (r *Runner) base(ctx context.Context, p *plan.Plan, d *task.Data) (baseOf, error) {
	run, err := r.cite(p, baseKey, models.PenaltyOf(p.Model).BaseRun())
	if run == nil || err != nil {
		return nil, err
	}
	of, err := plan.Of(&run.Config)
	if err != nil {
		return nil, err
	}
	if models.PenaltyOf(of.Model).Imposes() {
		return nil, fmt.Errorf("%s=%s: its own attention is imposed from another run: name that one", baseKey, run.Label())
	}
	if digests := run.Config.Digests; !d.ReadAs(of.Task(), of.Run) || digests["data"] != d.Digests["data"] || digests["vectors"] != d.Digests["vectors"] {
		return nil, fmt.Errorf("%s=%s: its words differ from those of this run: data, tokens, vectors and oov must be the same", baseKey, run.Label())
	}
	loaded, err := r.Loader.Load(ctx, of.Task(), of.Run)
	if err != nil {
		return nil, err
	}
	of.Run.DropLast = false // all reviews are needed
	c, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	return func(e *dataset.Encoded) (*models.Base, error) {
		asked := *d
		asked.Train, asked.Table = e, loaded.Table
		t, err := newTrainer(of, &asked, r.Pool, others{})
		if err != nil {
			return nil, err
		}
		defer t.close()
		if err := t.load(c); err != nil {
			return nil, err
		}
		if t.ngrams != nil { // the weights of n-grams
			if err := t.ngrams.loadWeights(c); err != nil {
				return nil, err
			}
		}
		return t.predictions(ctx, e, len(d.Classes))
	}, nil
}

// predictions returns the attention and the predictions of the model on the trainer's own split.
func (t *trainer) predictions(ctx context.Context, e *dataset.Encoded, classes int) (*models.Base, error) {
	weights := make([]float32, len(e.IDs))
	of := func(review int32) []float32 { return weights[e.Offsets[review]:e.Offsets[review+1]] }
	out := &models.Base{Weights: of, P: make([]float32, e.Len()*classes)}
	var missing error
	_, err := t.evaluate(ctx, e, func(b *ragged.Batch, n *models.Network) {
		attention := n.Attention()
		if len(attention) != b.Words() {
			missing = fmt.Errorf("%s: it has no attention with one weight for each word", baseKey)
			return
		}
		for i, review := range b.Reviews {
			copy(of(review), attention[b.Offsets[i]:b.Offsets[i+1]])
			copy(out.P[int(review)*classes:], n.Probs().Row(i))
		}
	})
	if err == nil {
		err = missing
	}
	return out, err
}

// startKey is the setting that names the run from whose weights training begins.
const startKey = "init"

// start has the weights of another run, from which training begins.
type start struct {
	from        *runs.Run
	weights     []runs.Tensor
	copied, new []string // names of this run's weights, see fill
}

// start opens the run that a plan starts from. It returns nil if the plan starts from random weights.
func (r *Runner) start(ctx context.Context, p *plan.Plan, d *task.Data) (*start, error) {
	run, err := r.cite(p, startKey, p.Run.Init)
	if run == nil || err != nil {
		return nil, err
	}
	for _, of := range []string{"data", "vectors", "probe"} {
		if run.Config.Digests[of] != d.Digests[of] {
			return nil, fmt.Errorf("%s=%s: it has other %s, so its training texts may be among the test texts of this run: data, data.exclude and vectors must be the same", startKey, run.Label(), of)
		}
	}
	for _, key := range []string{runs.TestSeedKey, "tokens", "slip.whitespace"} {
		if ours, _ := p.Set.Get(key); run.Config.Setting(key) != ours.Value {
			return nil, fmt.Errorf("%s=%s: it has %s=%s, and this run %s: both must read the same words", startKey, run.Label(), key, run.Config.Setting(key), ours.Value)
		}
	}
	c, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	return &start{from: run, weights: slices.Concat(c.Params, c.States)}, ctx.Err()
}

// fill copies the start's weights to those of list with the same name and shape. A single network
// starts all networks of an ensemble; new weights and dropout make them differ.
func (s *start) fill(list []*models.Weight) error {
	numbers := runs.Matrices(s.weights)
	s.copied, s.new = nil, nil
	for _, w := range list {
		data, err := numbers(w.Name, w.Rows, w.Cols)
		if err != nil {
			data, err = numbers(models.MemberName(w.Name), w.Rows, w.Cols)
		}
		if err != nil {
			s.new = append(s.new, w.Name)
			continue
		}
		copy(w.Data, data)
		s.copied = append(s.copied, w.Name)
	}
	if s.copied == nil {
		var theirs []string
		for _, t := range s.weights {
			theirs = append(theirs, fmt.Sprintf("%s %v", t.Name, t.Shape))
		}
		return fmt.Errorf("%s=%s: no weight has the name and the shape of one of this run; it has %s. The widths must be the same", startKey, s.from.Label(), strings.Join(theirs, ", "))
	}
	return nil
}

// factor returns the factor of a weight's learning rate (init.lr).
func (s *start) factor(name string, copied float64) float64 {
	if s != nil && slices.Contains(s.copied, name) {
		return copied
	}
	return 1
}

func (s *start) String() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("starts from the weights of %s: %s", s.from.Label(), layers(s.copied))
	if s.new != nil {
		text += "; new weights: " + layers(s.new)
	}
	return text
}

// layers returns the names of weights without their last part, those of an ensemble once.
func layers(weights []string) string {
	var out []string
	for _, w := range weights {
		w = models.MemberName(w)
		if i := strings.LastIndexByte(w, '.'); i > 0 {
			w = w[:i]
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, ", ")
}
