package plan

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"imdbexp/dataset/folder"
	"imdbexp/experiments/task"
	"imdbexp/models"
	"imdbexp/runs"
)

// fromData sets what hangs on how much there is to train on.
const fromData = "the amount of data"

// settled are the settings that may; whoever writes a plan on own data down as words
// names them.
var settled = []string{"vectors", "epochs", "batch", "lr", "momentum", "clip", "c"}

// Settled returns the assignments of a plan on own data that Settle may have decided;
// none on other data.
func (p *Plan) Settled() []string {
	if !p.own() {
		return nil
	}
	var out []string
	for _, key := range settled {
		s, is := p.Set.Get(key)
		if !is || !p.Task().Means(key) || key == "momentum" && p.Run.Optimizer.Optimizer != "sgd" {
			continue
		}
		out = append(out, key+"="+s.Value)
	}
	return out
}

// own reports whether the plan is of reviews that a user has added.
func (p *Plan) own() bool {
	d := p.Run.Data.Data
	return p.Task().Kept() == runs.Reviews && d != "imdb" && d != "sample"
}

// Settler settles plans on the data of a folder; it counts each data set once.
type Settler struct {
	Dir string

	mu      sync.Mutex
	counted map[string]task.Amount
}

// Settle decides for plans on own data in the data folder dir what hangs on how much
// there is: the word vectors, and where there are few reviews epochs, batch and rate, or
// what weighs the loss of a model that counts, each where nobody has set it. It returns
// what it has chosen, and why. Data that cannot be read is left to whoever opens it.
func Settle(ctx context.Context, dir string, plans []*Plan) (chosen []string, err error) {
	return (&Settler{Dir: dir}).Settle(ctx, plans)
}

// Settle does what the function does.
func (s *Settler) Settle(ctx context.Context, plans []*Plan) (chosen []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted == nil {
		s.counted = map[string]task.Amount{}
	}
	for _, p := range plans {
		if !p.own() {
			continue
		}
		data := p.Run.Data.Data
		a, seen := s.counted[data]
		if !seen {
			if a, err = task.Counted(ctx, s.Dir, data); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err != nil {
				continue
			}
			s.counted[data] = a
		}
		for _, settle := range []func(string, task.Amount) (string, error){p.settleVectors, p.settleLoop, p.settleCost} {
			text, err := settle(s.Dir, a)
			if err != nil {
				return nil, err
			}
			if text = data + ": " + text; !strings.HasSuffix(text, ": ") && !slices.Contains(chosen, text) {
				chosen = append(chosen, text)
			}
		}
	}
	return chosen, nil
}

// settleVectors chooses between GloVe and vectors trained on the reviews themselves. That
// an experiment trains them is meant for IMDB, which has words enough.
func (p *Plan) settleVectors(dir string, a task.Amount) (string, error) {
	trained := p.Run.Vectors.Vectors == "corpus" && !p.Asked("vectors")
	if !p.autoVectors && !trained || !p.Task().Means("vectors") {
		return "", nil
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return "", err
	}
	glove := slices.ContainsFunc(items, func(i folder.Item) bool { return i.Kind == folder.VectorsKind && i.Name == "glove50" })
	choice, why := "corpus", fmt.Sprintf("of %d words or more one's own are better than GloVe's", task.FewWords)
	switch few := a.Words < task.FewWords; {
	case few && p.Asked("vectors.dim"):
		why = "vectors.dim is of vectors trained on the reviews"
	case few && !a.English:
		why = "the words are few, but hardly English, as GloVe is"
	case few && glove:
		choice, why = "glove50", fmt.Sprintf("%d words to train vectors on are fewer than %d", a.Words, task.FewWords)
	case few:
		why = fmt.Sprintf("GloVe is not installed, and better with %d words: exp data fetch glove", a.Words)
	}
	return fmt.Sprintf("vectors=%s (%s)", choice, why), p.Set.Put("vectors", choice, fromData)
}

// How few reviews are trained on; docs/data.md has the measurements.
const (
	fewBatch          = 16
	fewRate           = 3      // times the rate that goes with batches of 64,
	mostRate          = 0.001  // or this, where IMDB's many steps bear a higher one
	fewSeen           = 30_000 // reviews, counted again in each epoch
	leastFew, mostFew = 5, 30  // epochs
	fewSGD            = "lr=0.1 momentum=0.9 clip=0.25"
)

// settleLoop chooses epochs, batch and rate for few reviews.
func (p *Plan) settleLoop(_ string, a task.Amount) (string, error) {
	r := p.Run
	if !p.Task().Means("batch") {
		return "", nil
	}
	if r.Limit > 0 {
		a.Reviews = min(a.Reviews, a.Classes*r.Limit)
	}
	if a.Reviews == 0 || a.Reviews >= task.FewReviews {
		return "", nil
	}
	var set []string
	if !p.Asked("epochs") {
		seen := fewSeen
		if r.NGrams > 1 && a.Short() { // what occurs twice is learned by heart sooner
			seen /= 2
		}
		epochs := math.Round(float64(seen) / float64(a.Reviews))
		set = append(set, fmt.Sprintf("epochs=%d", int(min(max(epochs, leastFew), mostFew))))
	}
	if p.from("batch") == "default" { // else the experiment has a batch and a rate that goes with it
		set = append(set, fmt.Sprintf("batch=%d", fewBatch))
		asked := slices.ContainsFunc([]string{"lr", "momentum", "clip"}, p.Asked)
		switch {
		case asked || p.from("lr") == "variant="+r.Variant: // a rate that was published
		case r.NGrams > 1: // whose vectors are trained: at more they are learned by heart
		case r.Optimizer.Optimizer == "sgd":
			set = append(set, strings.Fields(fewSGD)...)
		default:
			set = append(set, fmt.Sprintf("lr=%.6g", fewRate*min(r.LR, mostRate)))
		}
	}
	if len(set) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s (chosen by %d reviews to train on)", strings.Join(set, " "), a.Reviews), p.Set.Apply(fromData, set...)
}

// fewCost is the weight of the loss on TF-IDF of few short texts. A row has length 1: the
// fewer n-grams share it, the larger each is, and the closer a weight of the loss fits.
const fewCost = "c=3"

// settleCost chooses what weighs the loss of logistic regression on TF-IDF.
func (p *Plan) settleCost(_ string, a task.Amount) (string, error) {
	if _, is := p.Model.(*models.BowLR); !is || p.Asked("c") || a.Reviews == 0 || a.Reviews >= task.FewReviews || !a.Short() {
		return "", nil
	}
	return fmt.Sprintf("%s (chosen by %d texts of %d words on average)", fewCost, a.Reviews, int(math.Round(float64(a.Words)/float64(a.Texts)))), p.Set.Apply(fromData, fewCost)
}
