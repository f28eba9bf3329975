package vectors

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"

	"imdbexp/dataset/internal/stream"
)

// Detect reports by the first bytes of a file whether Read can read it as word vectors, and
// returns their dimensions. For a zip it returns the dimensions of all members; FILE#MEMBER means
// one member. Detect returns an error for a file that cannot be read, and for vectors with a
// number of dimensions that cannot be used, such as 9.
func Detect(ctx context.Context, file string) (dims []int, ok bool, err error) {
	file, member := stream.SplitMember(file)
	info, err := os.Stat(file)
	if err != nil || info.IsDir() {
		return nil, false, err
	}
	members := []string{member}
	if archive, err := stream.IsZip(file); err != nil {
		return nil, false, err
	} else if archive && member == "" {
		if members, err = stream.ZipNames(file); err != nil {
			return nil, false, err
		}
	}
	for _, m := range members {
		l, err := detectLayout(ctx, file, m)
		if errors.Is(err, errNotVectors) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(dims, l.dim) {
			dims = append(dims, l.dim)
		}
	}
	slices.Sort(dims)
	return dims, len(dims) > 0, nil
}

// detectLayout returns the layout of a file of vectors, or errNotVectors.
func detectLayout(ctx context.Context, path, member string) (layout, error) {
	in, name, err := stream.OpenInside(ctx, path, "", member, MaxBytes, nil)
	if err != nil {
		return layout{}, err
	}
	defer in.Close()
	f := file{name: name, in: in}
	err = f.begin()
	sure := errors.Is(err, errFastText) || errors.Is(err, errTabs) ||
		!errors.Is(err, errNotVectors) && f.dim >= minFileDim/2 && f.plausible(f.head)
	if _, content := errors.AsType[*placeError](err); content && !sure {
		err = errNotVectors
	}
	return f.layout, err
}

// plausible reports whether most fields of the first row are numbers. It accepts vectors
// with an error in that row, which the reader will report.
func (l layout) plausible(head []byte) bool {
	if l.binary {
		return true // such a header does not occur by chance
	}
	row, _, _ := bytes.Cut(head[min(l.skip, len(head)):], []byte("\n"))
	fields := bytes.Split(bytes.TrimRight(row, " \r"), []byte(" "))
	numbers := 0
	for _, f := range fields[1:] {
		if _, err := float32Of(f); err == nil || errors.Is(err, errRange) {
			numbers++
		}
	}
	return 2*numbers > l.dim
}
