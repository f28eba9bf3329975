package attend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

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

// subjects returns the texts that the command line names, reviews of the run's data that are
// chosen by its predictions, or else a typical one.
func subjects(ctx context.Context, a *cli.App, run *runs.Run, words []string, o options) ([]subject, error) {
	if len(words) > 0 {
		text, err := cli.TypedText(a.IO, words)
		return []subject{{Review: dataset.Review{Text: text, Label: dataset.Unlabelled}}}, err
	}
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	picked, err := pick(run, o)
	if err != nil && o.surestWrong > 0 {
		return nil, err
	}
	a.Warn(err)
	var ids []string
	for _, s := range picked {
		ids = append(ids, s.ID)
	}
	found, err := infer.Reviews(ctx, dir, run, ids) // without IDs to choose by, the first one
	if len(picked) == 0 {
		picked = make([]subject, len(found))
	}
	for i := range found {
		picked[i].Review = found[i]
	}
	if _, missing := errors.AsType[*folder.NotInstalledError](err); missing {
		err = fmt.Errorf("%w. A text needs no data: %s", err, a.Command("attend", run.Label(), "some text"))
	}
	return picked, err
}

// pick chooses reviews by their IDs, with the reason for each; nil without predictions to choose by.
func pick(run *runs.Run, o options) (out []subject, err error) {
	add := func(id, why string) { out = append(out, subject{Review: dataset.Review{ID: id}, why: why}) }
	for _, id := range o.reviews {
		add(id, "")
	}
	asked := o.surestWrong > 0
	switch {
	case len(out) > 0 && !asked, run.Path == "" && !asked:
		return out, nil
	case run.Path == "":
		return nil, errors.New("an exported model has no predictions to choose by: name reviews with --review, or name its run")
	}
	p, err := run.Predictions()
	switch {
	case !asked && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no predictions to choose by; it is %s", run.Label(), run.Status)
	case err != nil:
		return nil, err
	}
	if !asked {
		if row := modelview.Typical(p.Rows); row != nil {
			add(row.Review, "")
		}
		return out, nil
	}
	wrong := surestWrong(p.Rows, o.surestWrong)
	for i, r := range wrong {
		add(r.Review, fmt.Sprintf("wrong and sure, %d of %d", i+1, len(wrong)))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: none of its %d test reviews is predicted wrong", run.Label(), len(p.Rows))
	}
	return out, nil
}

// surestWrong returns the n labelled reviews whose wrong class is most probable.
func surestWrong(rows []runs.Prediction, n int) []runs.Prediction {
	list := slices.DeleteFunc(slices.Clone(rows), func(r runs.Prediction) bool { return r.Label < 0 || r.Predicted == r.Label })
	doubt := func(r runs.Prediction) (sum float64) { // more precise than 1 − p
		for c, p := range r.P {
			if c != r.Predicted {
				sum += float64(p)
			}
		}
		return sum
	}
	slices.SortStableFunc(list, func(a, b runs.Prediction) int { return cmp.Compare(doubt(a), doubt(b)) })
	return list[:min(n, len(list))]
}
