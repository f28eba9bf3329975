package folder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/vectors"
)

// Found is the content of a file as recognised by Detect.
type Found struct {
	Kind Kind
	Name string // in settings: imdb, glove50; "" for a zip of several GloVe files
	Dims []int  // of vectors
	File string // its name in the data folder

	members []string // of a zip of vectors, [""] for a file of them
}

// foundIMDB is the aclImdb folder, which is packed when it is added.
var foundIMDB = Found{Kind: CorpusKind, Name: "imdb", File: "aclImdb.tar.gz"}

// names returns the names in settings of the content of a file.
func (f Found) names() []string {
	if len(f.Dims) == 0 {
		return []string{f.Name}
	}
	var names []string
	for _, dim := range f.Dims {
		names = append(names, GloveName(dim))
	}
	return names
}

// replaced returns the names of the files in the data folder that f replaces.
func (f Found) replaced(replace bool) (files []string) {
	files = append(files, f.File)
	switch {
	case f.Kind == VectorsKind && len(f.Dims) == 0:
		for _, suffix := range vectorsSuffixes {
			files = append(files, f.Name+suffix)
		}
	case f.Name == "imdb":
		files = append(files, "aclImdb.tar.gz", "aclImdb.tar")
	case len(f.Dims) == 1 || len(f.Dims) > 1 && replace: // a zip of all may be next to files of one
		for _, name := range f.names() {
			all, _ := publishedFiles(name)
			files = append(files, all[:len(all)-1]...)
		}
	}
	return files
}

// Detect recognises a file or folder by its content, not by its name.
func Detect(ctx context.Context, file string) (Found, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Found{}, err
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(file, "train", "pos")); err != nil {
			return Found{}, fmt.Errorf("%s: not the aclImdb folder: it has no train/pos. Your own reviews need a name: --name NAME", file)
		}
		return foundIMDB, nil
	}
	names, err := stream.Members(ctx, file, dataset.DefaultLimits.TotalBytes)
	if err != nil {
		return Found{}, err
	}
	ext := ""
	if b, _ := stream.FileHead(file, 2); string(b) == "\x1f\x8b" {
		ext = ".gz"
	}
	switch zip, err := stream.IsZip(file); {
	case err != nil:
		return Found{}, err
	case zip:
		return detectZip(file, names)
	case slices.ContainsFunc(names, imdb.IsReview):
		return Found{Kind: CorpusKind, Name: "imdb", File: "aclImdb.tar" + ext}, nil
	case len(names) > 0:
		return Found{}, fmt.Errorf("%s: a tar archive without aclImdb's folders (train/pos and so on); it holds %s", file, stream.Listed(names))
	}
	in, err := stream.Open(ctx, file, file, vectors.MaxBytes, nil)
	if err != nil {
		return Found{}, err
	}
	defer in.Close()
	head, err := stream.ReadHead(in, vectors.HeadBytes)
	if err != nil {
		return Found{}, stream.Damaged(file, "its beginning", err)
	}
	dim, ok := vectors.DimOf(head)
	if !ok {
		return Found{}, fmt.Errorf("%s: neither the aclImdb archive or folder nor GloVe 6B vectors (text, .gz or .zip). Your own reviews or vectors need a name: --name NAME", file)
	}
	// The most frequent words of GloVe 6B. The other GloVe sets begin with other words.
	lines := bytes.SplitN(head, []byte("\n"), 4)
	for i, want := range []string{"the ", ", ", ". "} {
		if i >= len(lines) || !bytes.HasPrefix(lines[i], []byte(want)) || !slices.Contains(GloveDims, dim) {
			return Found{}, fmt.Errorf("%s: word vectors of %d dimensions, but not GloVe 6B. Such vectors %s", file, dim, otherVectors)
		}
	}
	return Found{Kind: VectorsKind, Name: GloveName(dim), Dims: []int{dim}, File: gloveText(dim) + ext, members: []string{""}}, nil
}

// detectZip recognises GloVe 6B by the names of the members.
func detectZip(file string, names []string) (Found, error) {
	found := Found{Kind: VectorsKind, File: allGloVe}
	for _, dim := range GloveDims {
		if text := gloveText(dim); slices.ContainsFunc(names, func(n string) bool { return path.Base(n) == text }) {
			found.Dims, found.members = append(found.Dims, dim), append(found.members, text)
		}
	}
	switch len(found.Dims) {
	case 0:
		return Found{}, fmt.Errorf("%s: a zip without GloVe 6B vectors; it holds %s. Other vectors %s", file, stream.Listed(names), otherVectors)
	case 1:
		found.Name, found.File = GloveName(found.Dims[0]), fmt.Sprintf("glove.6B.%dd.zip", found.Dims[0])
	}
	return found, nil
}

// otherVectors says how to use vectors that are not GloVe 6B.
const otherVectors = "need a name, --name NAME, or are used in place: vectors=FILE"
