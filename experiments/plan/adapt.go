package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/models"
	"imdbexp/runs"
)

// Auto is the data set of data=auto.
type Auto struct {
	Data string // imdb or sample
	Why  string // the reason, and how to change it
}

// AutoData returns imdb if IMDB and GloVe vectors of 50 dimensions are installed, the data of the
// published runs. Otherwise it returns sample.
func AutoData(dir string) (Auto, error) {
	items, err := folder.Installed(dir)
	if err != nil {
		return Auto{}, err
	}
	switch imdb, glove := installed(items, folder.CorpusKind, "imdb"), installed(items, folder.VectorsKind, "glove50"); {
	case imdb && glove:
		return Auto{"imdb", fmt.Sprintf("with GloVe, installed in %s", dir)}, nil
	case imdb:
		return Auto{"sample", "IMDB is installed, but not GloVe's vectors: exp data fetch glove, or exp data add glove.6B.zip; without them: data=imdb vectors=corpus"}, nil
	}
	return Auto{"sample", "IMDB is not installed: exp data fetch, or exp data add aclImdb_v1.tar.gz glove.6B.zip"}, nil
}

func installed(items []folder.Item, kind folder.Kind, name string) bool {
	return slices.ContainsFunc(items, func(i folder.Item) bool { return i.Kind == kind && i.Name == name })
}

// fromData is the source of settings that depend on the amount of training data.
const fromData = "the amount of data"

// adaptedKeys are the settings that Adapt may change.
var adaptedKeys = []string{"vectors", "epochs", "batch", "lr", "momentum", "clip", "c"}

// Adapted returns the assignments of a plan on a user's own data that Adapt may have changed; none on
// other data.
func (p *Plan) Adapted() (out []string) {
	for _, key := range adaptedKeys {
		s, is := p.Set.Get(key)
		if p.own() && is && !p.Task().Ignored().Has(key) && (key != "momentum" || p.Run.Optimizer.Optimizer == "sgd") {
			out = append(out, key+"="+s.Value)
		}
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
	counted map[string]amount
}

// Adapt sets the settings of plans on a user's own data that depend on the amount of data: the word
// vectors, and for few reviews the epochs, the batch and the learning rate, or the weight of the loss
// of a model that counts n-grams. It changes no setting that the user has set. It returns what it has
// chosen, with the reasons. Data that cannot be read are skipped; opening them returns the error.
func (s *Adapter) Adapt(ctx context.Context, plans []*Plan) (chosen []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted == nil {
		s.counted = map[string]amount{}
	}
	for _, p := range plans {
		if !p.own() {
			continue
		}
		data := p.Run.Data.Data
		a, seen := s.counted[data]
		if !seen {
			if a, err = count(ctx, s.Dir, data); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err != nil {
				continue
			}
			s.counted[data] = a
		}
		vectors, why, err := p.adaptVectors(s.Dir, a)
		if err != nil {
			return nil, err
		}
		loop, cost := p.adaptLoop(a), []string(nil)
		if _, is := p.Model.(*models.BowLR); is && !p.Asked("c") && 0 < a.reviews && a.reviews < fewReviews && a.short() {
			cost = []string{fewCost}
		}
		for _, c := range []struct {
			set []string
			why string
		}{
			{vectors, why},
			{loop, fmt.Sprintf("chosen for %d training reviews", p.reviews(a))},
			{cost, fmt.Sprintf("chosen for %d texts of %.0f words on average", a.reviews, float64(a.words)/float64(a.texts))},
		} {
			if err := p.Set.Apply(fromData, c.set...); err != nil {
				return nil, err
			}
			text := fmt.Sprintf("%s: %s (%s)", data, strings.Join(c.set, " "), c.why)
			if len(c.set) > 0 && !slices.Contains(chosen, text) {
				chosen = append(chosen, text)
			}
		}
	}
	return chosen, nil
}

// adaptVectors chooses between GloVe and vectors trained on the reviews themselves. Experiments that
// train vectors are meant for IMDB, which has enough words.
func (p *Plan) adaptVectors(dir string, a amount) (set []string, why string, err error) {
	trained := p.Run.Vectors.Vectors == "corpus" && !p.Asked("vectors")
	if !p.autoVectors && !trained || p.Task().Ignored().Has("vectors") {
		return nil, "", nil
	}
	items, err := folder.Installed(dir)
	if err != nil {
		return nil, "", err
	}
	choice := "corpus"
	switch {
	case a.words >= fewWords:
		why = fmt.Sprintf("with %d words or more, your own vectors are better than GloVe's", fewWords)
	case p.Asked("vectors.dim"):
		why = "vectors.dim needs vectors that are trained on the reviews"
	case !a.english:
		why = "there are few words, few of them are common English words, and GloVe is English"
	case installed(items, folder.VectorsKind, "glove50"):
		choice, why = "glove50", fmt.Sprintf("fewer than %d words are too few to train vectors", fewWords)
	default:
		why = fmt.Sprintf("GloVe is not installed, and is better for fewer than %d words: exp data fetch glove", fewWords)
	}
	return []string{"vectors=" + choice}, why, nil
}

// Settings for few reviews; docs/data.md has the measurements.
const (
	fewBatch       = 16
	fewRate        = 3      // factor of the learning rate for batches of 64
	maxRate        = 0.001  // max learning rate before that factor
	fewSeen        = 30_000 // target number of reviews in all epochs together
	minFew, maxFew = 5, 30  // epochs
	fewSGD         = "lr=0.1 momentum=0.9 clip=0.25"
	fewCost        = "c=3" // the weight of the loss for TF-IDF of few short texts
)

// reviews returns the number of reviews that the plan trains on.
func (p *Plan) reviews(a amount) int {
	if p.Run.Limit > 0 {
		return min(a.reviews, a.classes*p.Run.Limit)
	}
	return a.reviews
}

// adaptLoop chooses epochs, batch and learning rate for few reviews.
func (p *Plan) adaptLoop(a amount) (set []string) {
	r, reviews := p.Run, p.reviews(a)
	if p.Task().Ignored().Has("batch") || reviews == 0 || reviews >= fewReviews {
		return nil
	}
	if !p.Asked("epochs") {
		seen := fewSeen
		if r.NGrams > 1 && a.short() { // n-grams that occur twice overfit sooner
			seen /= 2
		}
		epochs := math.Round(float64(seen) / float64(reviews))
		set = append(set, fmt.Sprintf("epochs=%d", int(min(max(epochs, minFew), maxFew))))
	}
	if p.from("batch") != "default" { // the experiment sets the batch and its rate
		return set
	}
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
	return set
}

// amount is the amount of training data. Counting stops when the limits below are reached.
type amount struct {
	reviews int // with labels
	classes int
	words   int  // separated by blanks, with those of unlabelled reviews
	texts   int  // with these words
	english bool // the language of GloVe
}

// short reports whether the texts are sentences rather than reviews.
func (a amount) short() bool { return a.words < shortText*a.texts }

// Below these limits a user's own data is small. docs/vectors.md and docs/data.md have the
// measurements.
const (
	fewWords   = 250_000
	fewReviews = 20_000
	shortText  = 60 // words on average; the measured texts have 16 and 230
)

// frequent has words that are frequent in English only. They are at least frequentShare of the words of
// an English text, and a sixth of the words of IMDB's reviews.
var frequent = []string{"the", "and", "of", "to", "this", "it"}

const frequentShare = 0.04

// count counts a user's own data in the data folder dir.
func count(ctx context.Context, dir, data string) (a amount, err error) {
	src, err := folder.Source(dir, data, folder.Options{})
	if err != nil {
		return a, err
	}
	enough := errors.New("enough")
	a.classes = len(src.Classes())
	english := 0
	err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		if p == dataset.Test {
			return nil
		}
		if p == dataset.Train {
			a.reviews++
		}
		if a.words < fewWords {
			a.texts++
			for w := range strings.FieldsSeq(r.Text) {
				a.words++
				if slices.Contains(frequent, strings.ToLower(w)) {
					english++
				}
			}
		}
		if a.words >= fewWords && a.reviews >= fewReviews {
			return enough
		}
		return nil
	})
	a.english = float64(english) >= frequentShare*float64(a.words)
	if errors.Is(err, enough) {
		err = nil
	}
	return a, err
}
