package vectors

import (
	"bytes"
	"context"
	"errors"
	"os"

	"imdbexp/dataset/internal/stream"
)

// Detect returns the dimensions of word vectors that Read can read, by the first bytes of a file; 0 for
// anything else. Of a zip it looks for the first member with vectors. Detect returns
// an error for a file that cannot be read, and for vectors with a number of dimensions that cannot be
// used, such as 9.
func Detect(ctx context.Context, file string) (dim int, err error) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() {
		return 0, err
	}
	members := []string{""}
	if archive, err := stream.IsZip(file); err != nil {
		return 0, err
	} else if archive {
		if members, err = stream.ZipNames(file); err != nil {
			return 0, err
		}
	}
	for _, m := range members {
		if dim, err := detectOne(ctx, file, m); !errors.Is(err, errNotVectors) {
			return dim, err
		}
	}
	return 0, nil
}

// detectOne returns errNotVectors for a file or member that holds something else.
func detectOne(ctx context.Context, path, member string) (dim int, err error) {
	in, name, err := stream.OpenInside(ctx, path, "", member, MaxBytes, nil)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	f := file{name: name, in: in}
	err = f.begin()
	sure := errors.Is(err, errFastText) || errors.Is(err, errTabs) ||
		!errors.Is(err, errNotVectors) && f.dim >= minFileDim/2 && f.plausible(f.head)
	if _, content := errors.AsType[*placeError](err); content && !sure {
		err = errNotVectors
	}
	if err != nil {
		return 0, err
	}
	return f.dim, nil
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
