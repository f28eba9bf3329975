package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"imdbexp/dataset/internal/decimal"
)

// DetectVectors tells whether a file is word vectors that ReadVectors reads, by
// its first bytes, and of which dimensions: those of each member of a zip, of
// one of them as FILE#MEMBER. Its errors are of files that cannot be read at
// all, and of vectors that cannot be used, such as those of 9 dimensions.
func DetectVectors(ctx context.Context, file string) (Found, bool, error) {
	file, member := splitMember(file)
	found := Found{Kind: VectorsKind}
	info, err := os.Stat(file)
	if err != nil || info.IsDir() {
		return found, false, err
	}
	members := []string{member}
	if archive, err := isZip(file); err != nil {
		return found, false, err
	} else if archive && member == "" {
		if members, err = zipNames(file); err != nil {
			return found, false, err
		}
	}
	for _, m := range members {
		l, err := detectLayout(ctx, file, m)
		if errors.Is(err, errNotVectors) {
			continue
		}
		if err != nil {
			return found, false, err
		}
		if !slices.Contains(found.Dims, l.dim) {
			found.Dims = append(found.Dims, l.dim)
		}
	}
	slices.Sort(found.Dims)
	return found, len(found.Dims) > 0, nil
}

// splitMember takes FILE#MEMBER apart, unless there is a file of that whole name.
func splitMember(name string) (file, member string) {
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return name, ""
	}
	if _, err := os.Stat(name); err == nil {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// maxMembers bounds how many members of a zip are looked into.
const maxMembers = 100

func zipNames(file string) ([]string, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, damaged(file, "its beginning", err)
	}
	defer z.Close()
	var names []string
	for _, f := range zipFiles(&z.Reader) {
		if f.Mode().IsRegular() && len(names) < maxMembers {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

// detectLayout returns the layout of a file of vectors, or errNotVectors.
func detectLayout(ctx context.Context, file, member string) (layout, error) {
	in, name, err := openVectorFile(ctx, file, VectorOptions{Member: member, MaxBytes: maxVectorBytes})
	if err != nil {
		return layout{}, err
	}
	defer in.Close()
	head := make([]byte, 2*maxLine)
	n, err := readFull(in, head)
	if err != nil && err != io.EOF {
		return layout{}, damaged(name, "its beginning", err)
	}
	l, line, err := layoutOf(head[:n])
	switch {
	case errors.Is(err, errFastText):
		return l, &placeError{name, "line", line, err}
	case err != nil && !errors.Is(err, errNotVectors) && l.dim >= minFileDim/2 && l.plausible(head[:n]):
		return l, &placeError{name, "line", line, err}
	case err != nil || !l.plausible(head[:n]):
		return l, errNotVectors
	}
	return l, nil
}

// plausible tells vectors with an error in their first row, which the reader
// will find, from something else: most of what should be values are.
func (l layout) plausible(head []byte) bool {
	if l.binary {
		return true // not by chance, behind such a header
	}
	row, _, _ := bytes.Cut(head[min(l.skip, len(head)):], []byte("\n"))
	fields := bytes.Split(bytes.TrimRight(row, " \r"), []byte(" "))
	numbers := 0
	for _, f := range fields[1:] {
		if _, n, err := decimal.Float32(f); err == nil && n == len(f) || errors.Is(err, decimal.ErrRange) {
			numbers++
		}
	}
	return 2*numbers > l.dim
}
