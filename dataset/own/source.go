package own

import (
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
)

// source reads what WriteReviews has written.
type source struct {
	file   jsonl.File
	header header
}

// Open reads the header.
func Open(path, shown string, limits dataset.Limits, progress dataset.Progress) (dataset.Source, error) {
	limits = limits.OrDefault()
	s := source{file: jsonl.File{Path: path, Shown: shown, Bytes: limits.TotalBytes, Line: limits.ReviewBytes, Format: format, Progress: progress}}
	if err := jsonl.Read[line](context.Background(), s.file, &s.header, nil); err != nil {
		return nil, err
	}
	return s, nil
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	ok = len(h.Classes) >= minClasses && len(h.Classes) <= maxClasses && !slices.Contains(h.Classes, "")
	return h.Format, h.Reviews[0] + h.Reviews[1] + h.Reviews[2], ok
}

// String implements Source.
func (s source) String() string { return s.file.Shown }

// Classes implements Source.
func (s source) Classes() []string { return s.header.Classes }

// HasRationales reports whether any review has one.
func (s source) HasRationales() bool { return s.header.Format > 1 }

// Reviews implements Source.
func (s source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	class := map[string]int{"": dataset.Unlabelled}
	for i, c := range s.header.Classes {
		class[c] = i
	}
	return jsonl.Read(ctx, s.file, new(header), func(_ string, r *line) error {
		label, known := class[r.Label]
		part := dataset.Part(slices.Index([]string{dataset.Train.String(), dataset.Test.String(), dataset.Extra.String()}, r.Split))
		if !known || part >= dataset.Parts || (label == dataset.Unlabelled) != (part == dataset.Extra) || r.ID == "" {
			return jsonl.Bad("split, label or name of the review do not fit")
		}
		var rationale []dataset.Span
		for _, s := range r.Rationale {
			if s[0] < 0 || s[1] <= s[0] || s[1] > len(r.Text) {
				return jsonl.Bad("the rationale is not a part of the text")
			}
			rationale = append(rationale, dataset.Span{Start: s[0], End: s[1]})
		}
		return yield(part, dataset.Review{ID: r.ID, Text: r.Text, Label: label, Rationale: rationale})
	})
}
