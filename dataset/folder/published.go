package folder

import (
	"fmt"
	"os"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// imdbFiles are the names that IMDB may have in the data folder, first the one that
// Add gives.
var imdbFiles = []string{"aclImdb.tar.gz", "aclImdb.tar", "aclImdb_v1.tar.gz", "aclImdb"}

func imdbMissing(dir string) error {
	return &NotInstalledError{Setting: "data=imdb", Dir: dir, Remedy: "Run: exp data fetch imdb (84 MB), or exp data add aclImdb_v1.tar.gz"}
}

// GloveDims are the dimensions in which GloVe 6B exists.
var GloveDims = []int{50, 100, 200, 300}

// GloveName returns the name in settings of GloVe 6B of that dimension.
func GloveName(dim int) string { return fmt.Sprintf("glove%d", dim) }

// gloveFile is a file, or a member of a zip, with GloVe 6B of one dimension.
type gloveFile struct{ file, member string }

func gloveNames(dim int) []gloveFile {
	text := fmt.Sprintf("glove.6B.%dd.txt", dim)
	return []gloveFile{
		{text, ""},
		{text + ".gz", ""},
		{strings.TrimSuffix(text, ".txt") + ".zip", text},
		{"glove.6B.zip", text},
	}
}

// findGlove finds GloVe 6B of that dimension. The file of the result is its path.
func findGlove(dir string, dim int) (g gloveFile, info os.FileInfo, ok bool) {
	for _, g := range gloveNames(dim) {
		path, info, ok := find(dir, g.file)
		if !ok {
			continue
		}
		if g.member != "" && !stream.ZipHolds(path, g.member) {
			continue
		}
		return gloveFile{path, g.member}, info, true
	}
	return gloveFile{}, nil, false
}

func gloveMissing(dir string, dim int) error {
	size := ""
	if dim == 50 {
		size = " (69 MB)"
	}
	return &NotInstalledError{Setting: fmt.Sprintf("vectors=glove%d", dim), Dir: dir,
		Remedy: fmt.Sprintf("Run: exp data fetch glove --dim %d%s, or exp data add glove.6B.zip. Without any: vectors=corpus", dim, size)}
}

// gloveFiles returns the names of files with vectors of that dimension only.
func gloveFiles(dim int) []string {
	var out []string
	for _, g := range gloveNames(dim) {
		if g.file != "glove.6B.zip" {
			out = append(out, g.file)
		}
	}
	return out
}
