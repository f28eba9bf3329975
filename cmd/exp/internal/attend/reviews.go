package attend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/runs"
)

// subject is a text to show.
type subject struct {
	dataset.Review        // ID is "" for a given text
	why            string // why it was chosen; "" for a plain choice
	view           *infer.View
	found          []string // by --flip, in sentences
}

// name returns what to call it.
func (s *subject) name() string {
	if s.ID == "" {
		return "the text given"
	}
	return "review " + s.ID
}

// subjects returns the texts that the command line names.
func subjects(ctx context.Context, a *cli.App, run *runs.Run, words []string, o options) ([]subject, error) {
	if len(words) > 0 {
		text := strings.Join(words, " ")
		if len(words) == 1 && words[0] == "-" {
			var err error
			if text, err = cli.TypedText(a.IO); err != nil {
				return nil, err
			}
		}
		return []subject{{Review: dataset.Review{Text: text, Label: dataset.Unlabelled}}}, nil
	}
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	list, err := reviewsFor(ctx, a, dir, run, o)
	if _, missing := errors.AsType[*folder.NotInstalledError](err); missing {
		err = fmt.Errorf("%w. A text needs no data: %s", err, a.Command("attend", o.ref, "some text"))
	}
	return list, err
}

// reviewsFor returns reviews of the run's data: those named, those chosen by the run's
// predictions, or else a typical one.
func reviewsFor(ctx context.Context, a *cli.App, dir string, run *runs.Run, o options) ([]subject, error) {
	picked, err := pick(run, o)
	asked := len(o.reviews)+o.best+o.worst+o.surestWrong > 0
	switch {
	case err != nil && asked:
		return nil, err
	case err != nil:
		a.Warn(err)
	}
	if picked == nil { // nothing to choose by
		r, err := infer.FirstReview(ctx, dir, run, func(r dataset.Review) bool { return modelview.Readable(len(strings.Fields(r.Text))) })
		return []subject{{Review: r}}, err
	}
	ids := make([]string, len(picked))
	for i, s := range picked {
		ids[i] = s.ID
	}
	found, err := infer.Reviews(ctx, dir, run, ids)
	for i := range found {
		picked[i].Review = found[i]
	}
	return picked, err
}

// pick chooses reviews by their IDs, with the reason for each.
func pick(run *runs.Run, o options) ([]subject, error) {
	var out []subject
	add := func(id, why string) { out = append(out, subject{Review: dataset.Review{ID: id}, why: why}) }
	for _, id := range o.reviews {
		add(id, "")
	}
	byScore := []struct {
		n   int
		of  func(runs.Prediction) (score float64, ok bool)
		why string
	}{
		{o.best, func(r runs.Prediction) (float64, bool) { return -doubt(r), r.Predicted == r.Label }, "right and sure"},
		{o.worst, func(r runs.Prediction) (float64, bool) { return -float64(r.P[r.Label]), true }, "label least probable"},
		{o.surestWrong, func(r runs.Prediction) (float64, bool) { return -doubt(r), r.Predicted != r.Label }, "wrong and sure"},
	}
	asked := o.best+o.worst+o.surestWrong > 0
	if len(out) > 0 && !asked {
		return out, nil
	}
	if o.file {
		if asked {
			return nil, errors.New("an exported model has no predictions to choose by: name reviews with --review, or name its run")
		}
		return nil, nil
	}
	p, err := run.Predictions()
	switch {
	case !asked && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist) && run.Status.State != runs.Finished:
		return nil, fmt.Errorf("%s has no predictions to choose by: it is %s", run.Label(), run.Status)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no predictions to choose by: %w", run.Label(), err)
	case err != nil:
		return nil, err
	}
	if !asked {
		if row := modelview.Typical(p.Rows); row != nil {
			add(row.Review, "")
		}
		return out, nil
	}
	for _, s := range byScore {
		found := extremes(p.Rows, s.n, s.of)
		for i, r := range found {
			add(r.Review, fmt.Sprintf("%s, %d of %d", s.why, i+1, len(found)))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no review of its %d test reviews matches", run.Label(), len(p.Rows))
	}
	return out, nil
}

// doubt returns the probability of all classes that are not predicted. It is more precise
// than 1 − p.
func doubt(r runs.Prediction) float64 {
	sum := 0.0
	for c, p := range r.P {
		if c != r.Predicted {
			sum += float64(p)
		}
	}
	return sum
}

// extremes returns the n reviews with the largest scores, the earlier of equals
// first, among those that have a label and a score.
func extremes(rows []runs.Prediction, n int, score func(runs.Prediction) (float64, bool)) []runs.Prediction {
	type scored struct {
		runs.Prediction
		score float64
	}
	var list []scored
	for _, r := range rows {
		if r.Label < 0 {
			continue
		}
		if s, ok := score(r); ok {
			list = append(list, scored{r, s})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []runs.Prediction
	for _, s := range list[:min(n, len(list))] {
		out = append(out, s.Prediction)
	}
	return out
}
