package dataset

import (
	"archive/zip"
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

// Vectors is a table of word vectors.
type Vectors struct {
	Name   string // as in the setting, such as glove50
	Dim    int
	Words  []string
	Rows   []float32 // [len(Words), Dim]
	Digest string    // SHA-256 of the text they were read from, whatever it is packed in
	Total  int       // words in that text, of which Words are those that were wanted
}

// Row returns the vector of Words[i].
func (v *Vectors) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// VectorOptions says what of a file of word vectors is wanted.
type VectorOptions struct {
	Member   string   // which file of a zip; "" if there is only one
	Keep     []string // the words to keep, in this order; nil keeps all, in the order of the file
	MaxBytes int64    // of text; 0 means 64 GiB
	Shown    string   // what messages call the file; "" is its path
	Progress Progress
}

// maxDim and maxLine bound what one line can be.
const (
	maxDim         = 4096
	maxLine        = 1 << 20
	maxVectorBytes = 64 << 30
)

// ReadVectors reads word vectors from text in GloVe's format, a word and its
// values a line, also with word2vec's header line; plain, gzip, or a member of
// a zip. Every line is checked, whether its word is kept or not. Errors name
// the line.
func ReadVectors(ctx context.Context, file string, o VectorOptions) (*Vectors, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = maxVectorBytes
	}
	in, name, err := openVectorText(ctx, file, o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	v, err := readVectorText(ctx, name, in, o.Keep)
	if err != nil {
		return nil, err
	}
	v.Name = name
	return v, nil
}

// openVectorText opens the text inside file; name is for messages.
func openVectorText(ctx context.Context, file string, o VectorOptions) (in io.ReadCloser, name string, err error) {
	name = cmp.Or(o.Shown, file)
	archive, err := isZip(file)
	if err != nil {
		return nil, name, err
	}
	if !archive {
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

type closers []io.Closer

func (c closers) Close() (err error) {
	for _, x := range c {
		err = errors.Join(err, x.Close())
	}
	return err
}

// zipMember finds a member by its name without folders, or the only one.
func zipMember(z *zip.Reader, member string) (*zip.File, error) {
	var names []string
	var found *zip.File
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
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
