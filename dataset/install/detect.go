package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Kind is what a file holds.
type Kind string

// Kinds of data.
const (
	CorpusKind  Kind = "corpus" // labelled reviews
	PairsKind   Kind = "pairs"  // sentences and their translations
	VectorsKind Kind = "vectors"
)

// Found is what Detect found a file to be.
type Found struct {
	Kind Kind
	Name string // what settings call it: imdb, glove50; "" for glove.6B.zip with all of them
	Dims []int  // of vectors
	File string // its name in the data folder
}

// Detect looks into a file or folder and tells what it is, by its content and
// not by its name.
func Detect(ctx context.Context, file string) (Found, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Found{}, err
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(file, "train", "pos")); err != nil {
			return Found{}, fmt.Errorf("%s: not the aclImdb folder: it has no train/pos. Your own reviews need a name: --name NAME", file)
		}
		return Found{Kind: CorpusKind, Name: "imdb", File: imdbNames[0]}, nil
	}
	archive, err := isZip(file)
	if err != nil {
		return Found{}, err
	}
	if archive {
		return detectZip(file)
	}
	return detectStream(ctx, file)
}

// isZip reports whether a file begins as a zip does.
func isZip(file string) (bool, error) {
	b, err := fileHead(file, 4)
	return bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("PK\x05\x06")), err
}

func fileHead(file string, n int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	n, err = readFull(f, b)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

var gloveMember = regexp.MustCompile(`^glove\.6B\.(50|100|200|300)d\.txt$`)

func detectZip(file string) (Found, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return Found{}, damaged(file, "its beginning", err)
	}
	defer z.Close()
	var dims []int
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		if m := gloveMember.FindStringSubmatch(path.Base(f.Name)); m != nil {
			d, _ := strconv.Atoi(m[1])
			dims = append(dims, d)
		}
	}
	slices.Sort(dims)
	switch len(dims) {
	case 0:
		return Found{}, fmt.Errorf("%s: a zip without GloVe 6B vectors; it holds %s. Other vectors %s", file, listed(names), otherVectors)
	case 1:
		return Found{VectorsKind, fmt.Sprintf("glove%d", dims[0]), dims, fmt.Sprintf("glove.6B.%dd.zip", dims[0])}, nil
	}
	return Found{VectorsKind, "", dims, "glove.6B.zip"}, nil
}

// otherVectors says what becomes of vectors that are not GloVe 6B.
const otherVectors = "need a name, --name NAME, or are used in place: vectors=FILE, of a zip vectors=FILE#MEMBER"

func zipHolds(file, member string) bool {
	z, err := zip.OpenReader(file)
	if err != nil {
		return false
	}
	defer z.Close()
	_, err = zipMember(&z.Reader, member)
	return err == nil
}

// detectStream tells a tar from vectors, either of them with or without gzip.
func detectStream(ctx context.Context, file string) (Found, error) {
	in, err := openStream(ctx, file, file, DefaultLimits.TotalBytes, nil)
	if err != nil {
		return Found{}, err
	}
	defer in.Close()
	head := make([]byte, 2*maxLine)
	n, err := readFull(in, head)
	if err != nil && err != io.EOF {
		return Found{}, damaged(file, "its beginning", err)
	}
	head = head[:n]
	ext := ""
	if b, _ := fileHead(file, 2); string(b) == "\x1f\x8b" {
		ext = ".gz"
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return detectTar(file, io.MultiReader(bytes.NewReader(head), in), ext)
	}
	return detectText(file, head, ext)
}

func detectTar(file string, in io.Reader, ext string) (Found, error) {
	r := tar.NewReader(in)
	last := "its beginning"
	var names []string
	for range 100_000 {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Found{}, damaged(file, last, err)
		}
		last = h.Name
		if _, _, _, ok, err := imdbName(path.Clean(h.Name)); ok && err == nil {
			return Found{Kind: CorpusKind, Name: "imdb", File: "aclImdb.tar" + ext}, nil
		}
		if len(names) < 20 {
			names = append(names, h.Name)
		}
	}
	return Found{}, fmt.Errorf("%s: a tar archive without aclImdb's folders (train/pos and so on); it holds %s", file, listed(names))
}

func detectText(file string, head []byte, ext string) (Found, error) {
	unknown := fmt.Errorf("%s: neither the aclImdb archive or folder nor GloVe 6B vectors (text, .gz or .zip). Your own reviews or vectors need a name: --name NAME", file)
	lines := bytes.SplitN(head, []byte("\n"), 4)
	l, _, err := layoutOf(head)
	if err != nil || !l.plausible(head) {
		return Found{}, unknown
	}
	// The most frequent words of GloVe 6B; the other GloVe sets begin otherwise.
	for i, want := range []string{"the ", ", ", ". "} {
		if i >= len(lines) || !bytes.HasPrefix(lines[i], []byte(want)) || !slices.Contains(GloveDims, l.dim) {
			return Found{}, fmt.Errorf("%s: word vectors of %d dimensions, but not GloVe 6B. Such vectors %s", file, l.dim, otherVectors)
		}
	}
	return Found{VectorsKind, fmt.Sprintf("glove%d", l.dim), []int{l.dim}, fmt.Sprintf("glove.6B.%dd.txt%s", l.dim, ext)}, nil
}
