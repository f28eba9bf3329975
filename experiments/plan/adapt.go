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

// fromData is the source of settings that depend on the amount of training data.
const fromData = "the amount of data"

// adaptedKeys are the settings that Adapt may change.
var adaptedKeys = []string{"vectors", "epochs", "batch", "lr", "momentum", "clip", "c"}

// Adapted returns the assignments of a plan on a user's own data that Adapt may have changed; none on
// other data.
func (p *Plan) Adapted() []string {
	if !p.own() {
		return nil
	}
	var out []string
	for _, key := range adaptedKeys {
		s, is := p.Set.Get(key)
		if !is || !p.Task().Uses(key) || key == "momentum" && p.Run.Optimizer.Optimizer != "sgd" {
			continue
		}
		out = append(out, key+"="+s.Value)
	}
	return out
}

// own reports whether the plan is trained on reviews that a user has added.
func (p *Plan) own() bool {
	d := p.Run.Data.Data
	return p.Task().Kind() == runs.Reviews && d != "imdb" && d != "sample"
}

// Adapter adapts plans to the data of a folder. It counts each data set once.
type Adapter struct {
	Dir string

	mu      sync.Mutex
	counted map[string]task.Amount
}

// Adapt sets the settings of plans on a user's own data that depend on the amount of data: the word
// vectors, and for few reviews the epochs, the batch and the learning rate, or the weight of the loss
// of a model that counts n-grams. It changes no setting that the user has set. It returns what it has
// chosen, with the reasons. Data that cannot be read are skipped; opening them returns the error.
func Adapt(ctx context.Context, dir string, plans []*Plan) (chosen []string, err error) {
	return (&Adapter{Dir: dir}).Adapt(ctx, plans)
}

// Adapt does what the function does.
func (s *Adapter) Adapt(ctx context.Context, plans []*Plan) (chosen []string, err error) {
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
		for _, adapt := range []func(string, task.Amount) (string, error){p.adaptVectors, p.adaptLoop, p.adaptCost} {
			text, err := adapt(s.Dir, a)
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

// adaptVectors chooses between GloVe and vectors trained on the reviews themselves. Experiments that
// train vectors are meant for IMDB, which has enough words.
func (p *Plan) adaptVectors(dir string, a task.Amount) (string, error) {
	trained := p.Run.Vectors.Vectors == "corpus" && !p.Asked("vectors")
	if !p.autoVectors && !trained || !p.Task().Uses("vectors") {
		return "", nil
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return "", err
	}
	glove := slices.ContainsFunc(items, func(i folder.Item) bool { return i.Kind == folder.VectorsKind && i.Name == "glove50" })
	choice, why := "corpus", fmt.Sprintf("with %d words or more, your own vectors are better than GloVe's", task.FewWords)
	switch few := a.Words < task.FewWords; {
	case few && p.Asked("vectors.dim"):
		why = "vectors.dim needs vectors that are trained on the reviews"
	case few && !a.English:
		why = "there are few words, but they are not English, and GloVe is"
	case few && glove:
		choice, why = "glove50", fmt.Sprintf("%d words are too few to train vectors; %d are enough", a.Words, task.FewWords)
	case few:
		why = fmt.Sprintf("GloVe is not installed, and is better for %d words: exp data fetch glove", a.Words)
	}
	return fmt.Sprintf("vectors=%s (%s)", choice, why), p.Set.Put("vectors", choice, fromData)
}

// Settings for few reviews; docs/data.md has the measurements.
const (
	fewBatch       = 16
	fewRate        = 3      // times the rate for batches of 64,
	maxRate        = 0.001  // or times this, if the rate for IMDB is higher
	fewSeen        = 30_000 // reviews in all epochs together
	minFew, maxFew = 5, 30  // epochs
	fewSGD         = "lr=0.1 momentum=0.9 clip=0.25"
)

// adaptLoop chooses epochs, batch and learning rate for few reviews.
func (p *Plan) adaptLoop(_ string, a task.Amount) (string, error) {
	r := p.Run
	if !p.Task().Uses("batch") {
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
		if r.NGrams > 1 && a.Short() { // n-grams that occur twice overfit sooner
			seen /= 2
		}
		epochs := math.Round(float64(seen) / float64(a.Reviews))
		set = append(set, fmt.Sprintf("epochs=%d", int(min(max(epochs, minFew), maxFew))))
	}
	if p.from("batch") == "default" { // else the experiment sets the batch and its rate
		set = append(set, fmt.Sprintf("batch=%d", fewBatch))
		asked := slices.ContainsFunc([]string{"lr", "momentum", "clip"}, p.Asked)
		switch {
		case asked || p.from("lr") == "variant="+r.Variant: // a rate that was published
		case r.NGrams > 1: // with a higher rate the trained vectors overfit
		case r.Optimizer.Optimizer == "sgd":
			set = append(set, strings.Fields(fewSGD)...)
		default:
			set = append(set, fmt.Sprintf("lr=%.6g", fewRate*min(r.LR, maxRate)))
		}
	}
	if len(set) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s (chosen by %d reviews to train on)", strings.Join(set, " "), a.Reviews), p.Set.Apply(fromData, set...)
}

// fewCost is the weight of the loss for TF-IDF of few short texts.
const fewCost = "c=3"

// adaptCost chooses the weight of the loss of logistic regression on TF-IDF.
func (p *Plan) adaptCost(_ string, a task.Amount) (string, error) {
	if _, is := p.Model.(*models.BowLR); !is || p.Asked("c") || a.Reviews == 0 || a.Reviews >= task.FewReviews || !a.Short() {
		return "", nil
	}
	return fmt.Sprintf("%s (chosen by %d texts of %d words on average)", fewCost, a.Reviews, int(math.Round(float64(a.Words)/float64(a.Texts)))), p.Set.Apply(fromData, fewCost)
}
