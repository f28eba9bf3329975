package own

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/internal/stream"
)

// source reads what WriteReviews has written.
type source struct {
	path     string
	shown    string // what messages call the file
	header   header
	limits   dataset.Limits
	progress dataset.Progress
}

// Open reads the header.
func Open(path, shown string, limits dataset.Limits, progress dataset.Progress) (dataset.Source, error) {
	s := source{path: path, shown: shown, limits: limits.OrDefault(), progress: progress}
	in, err := stream.Open(context.Background(), path, shown, s.limits.TotalBytes, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l := jsonl.NewReader(in, 1<<20)
	if err := l.Decode(&s.header); err != nil {
		return nil, s.damaged(l.Line, err)
	}
	h := s.header
	switch {
	case h.Format > format:
		return nil, jsonl.Newer(shown, h.Format, format)
	case h.Format < 1 || len(h.Classes) < minClasses || len(h.Classes) > maxClasses || slices.Contains(h.Classes, ""):
		return nil, s.damaged(1, errors.New("this is no header"))
	}
	return s, nil
}

// String implements Source.
func (s source) String() string { return s.shown }

// Classes implements Source.
func (s source) Classes() []string { return s.header.Classes }

// HasRationales reports whether any review has one.
func (s source) HasRationales() bool { return s.header.Format > 1 }

// Reviews implements Source.
func (s source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	in, err := stream.Open(ctx, s.path, s.shown, s.limits.TotalBytes, s.progress)
	if err != nil {
		return err
	}
	defer in.Close()
	// JSON takes up to six bytes for one of the text.
	l := jsonl.NewReader(in, 6*s.limits.ReviewBytes+4096)
	if err := l.Decode(&header{}); err != nil {
		return s.damaged(l.Line, err)
	}
	class := map[string]int{"": dataset.Unlabelled}
	for i, c := range s.header.Classes {
		class[c] = i
	}
	budget, seen := s.limits, [dataset.Parts]int{}
	for {
		var r line
		err := l.Decode(&r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return s.damaged(l.Line, err)
		}
		where := fmt.Sprintf("%s: line %d", s.shown, l.Line)
		label, known := class[r.Label]
		part := dataset.Part(slices.Index([]string{dataset.Train.String(), dataset.Test.String(), dataset.Extra.String()}, r.Split))
		if !known || part >= dataset.Parts || (label == dataset.Unlabelled) != (part == dataset.Extra) || r.ID == "" {
			return s.damaged(l.Line, errors.New("split, label or name of the review do not fit"))
		}
		if err := budget.Spend(int64(len(r.Text))); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := stream.CheckText(where, r.Text); err != nil {
			return err
		}
		seen[part]++
		rationale, ok := spansIn(r)
		if !ok {
			return s.damaged(l.Line, errors.New("the rationale is no part of the text"))
		}
		if err := yield(part, dataset.Review{ID: r.ID, Text: r.Text, Label: label, Rationale: rationale}); err != nil {
			return err
		}
	}
	if seen != s.header.Reviews {
		return fmt.Errorf("%s: has %v reviews instead of %v: the file is not whole, add the data again", s.shown, seen, s.header.Reviews)
	}
	return nil
}

// spansIn returns the rationale of a review; ok is false if it is not valid.
func spansIn(r line) (out []dataset.Span, ok bool) {
	end := 0
	for _, s := range r.Rationale {
		if s[0] < end || s[1] <= s[0] || s[1] > len(r.Text) {
			return nil, false
		}
		end = s[1]
		out = append(out, dataset.Span{Start: s[0], End: s[1]})
	}
	return out, true
}

func (s source) damaged(line int, err error) error { return jsonl.Damaged(s.shown, line, err) }
