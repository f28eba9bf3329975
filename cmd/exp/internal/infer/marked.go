package infer

import (
	"context"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
)

// Marked reports for each word of each review of a split whether annotators marked it as part of
// the review's rationale: nil for a review without one, and nil for data without any. name is the
// name of the data set, dir the data folder.
func (m *Model) Marked(ctx context.Context, dir, name string, s *Split, o folder.Options) ([][]bool, error) {
	src, err := folder.Source(dir, name, o)
	if err != nil {
		return nil, err
	}
	if r, has := src.(interface{ HasRationales() bool }); !has || !r.HasRationales() {
		return nil, nil
	}
	place := make(map[string]int, s.Len())
	for i, n := range s.Names {
		place[n] = i
	}
	out := make([][]bool, s.Len())
	err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		i, asked := place[r.ID]
		if p != dataset.Test || !asked || r.Rationale == nil {
			return nil
		}
		e := m.Encode(r.Text)
		if len(e.Rows) != len(s.Texts[i].Rows) {
			return fmt.Errorf("%s has %d words, but %d in the run: the data have changed", r.ID, len(e.Rows), len(s.Texts[i].Rows))
		}
		out[i] = make([]bool, len(e.Rows))
		for k, w := range e.Words {
			for _, span := range r.Rationale {
				out[i][k] = out[i][k] || w.Start < span.End && w.End > span.Start
			}
		}
		return nil
	})
	return out, err
}
