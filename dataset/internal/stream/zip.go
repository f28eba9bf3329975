package dataset

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
)

// openVectorFile opens what is inside file; name is for messages.
func openVectorFile(ctx context.Context, file string, o VectorOptions) (in io.ReadCloser, name string, err error) {
	name = cmp.Or(o.Shown, file)
	archive, err := isZip(file)
	if err != nil {
		return nil, name, err
	}
	if !archive {
		if o.Member != "" {
			return nil, name, fmt.Errorf("%s: not a zip, so that it has no member %s", name, quoteName(o.Member))
		}
		in, err = openStream(ctx, file, name, o.MaxBytes, o.Progress)
		return in, name, err
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, name, damaged(name, "its beginning", err)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader) // faster than the standard library's
	f, err := zipMember(&z.Reader, o.Member)
	if err != nil {
		z.Close()
		return nil, name, fmt.Errorf("%s: %w", name, err)
	}
	name += "#" + f.Name
	r, err := f.Open()
	if err != nil {
		z.Close()
		return nil, name, damaged(name, "its beginning", err)
	}
	m := &meter{ctx: ctx, r: r, total: int64(f.UncompressedSize64), progress: o.Progress}
	return readAhead(&bounded{path: name, r: m, left: o.MaxBytes, limit: o.MaxBytes}, closers{r, z}), name, nil
}

// zipFiles returns the members of a zip that are no folders and no litter.
func zipFiles(z *zip.Reader) []*zip.File {
	var files []*zip.File
	for _, f := range z.File {
		if !f.FileInfo().IsDir() && !strings.HasPrefix(f.Name, "__MACOSX/") {
			files = append(files, f)
		}
	}
	return files
}

// zipMember finds a member by its name without folders, or the only one.
func zipMember(z *zip.Reader, member string) (*zip.File, error) {
	var names []string
	var found *zip.File
	for _, f := range zipFiles(z) {
		names = append(names, f.Name)
		if member == "" || path.Base(f.Name) == path.Base(member) {
			found = f
		}
	}
	switch {
	case found == nil && member != "":
		return nil, fmt.Errorf("holds no %s but %s", member, listed(names))
	case found == nil:
		return nil, errors.New("is an empty zip")
	case member == "" && len(names) > 1:
		return nil, fmt.Errorf("holds several files: choose one by FILE#NAME out of %s", listed(names))
	case !found.Mode().IsRegular():
		return nil, fmt.Errorf("entry %s is not a plain file", quoteName(found.Name))
	}
	return found, nil
}

// listed shows a few names from an archive.
func listed(names []string) string {
	slices.Sort(names)
	more := ""
	if len(names) > 8 {
		names, more = names[:8], ", …"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return strings.Join(quoted, ", ") + more
}

// packing returns the ending of the name of a file by how it is packed.
func packing(file string) (ext string, err error) {
	b, err := fileHead(file, 4)
	switch {
	case err != nil:
		return "", err
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return ".gz", nil
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return ".zst", nil
	case bytes.HasPrefix(b, []byte("PK\x03\x04")), bytes.HasPrefix(b, []byte("PK\x05\x06")):
		return ".zip", nil
	}
	return "", nil
}
