package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Dir returns the data folder: what the flag says, else $EXP_DATA, else
// imdbexp in the user's cache folder. It need not exist.
func Dir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if env := os.Getenv("EXP_DATA"); env != "" {
		return env, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no data folder: %w; give one with --data-dir or $EXP_DATA", err)
	}
	return filepath.Join(cache, "imdbexp"), nil
}

// Names under which IMDB may lie in the data folder, the one Add gives first.
var imdbNames = []string{"aclImdb.tar.gz", "aclImdb.tar", "aclImdb_v1.tar.gz", "aclImdb"}

// GloveDims are the dimensions in which GloVe 6B exists.
var GloveDims = []int{50, 100, 200, 300}

// gloveFile is a place where GloVe 6B of one dimension may lie.
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

// Item is something that is installed in the data folder.
type Item struct {
	Kind  Kind
	Name  string // what settings call it: imdb, glove50
	Path  string
	Bytes int64 // size of the file; 0 for a folder
}

// Installed lists what is in the data folder: IMDB, own data, GloVe, own vectors. A
// folder that does not exist holds nothing. The embedded sample and phrases are not
// listed: they are always there.
func Installed(dir string) ([]Item, error) {
	if _, err := os.ReadDir(dir); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var items []Item
	if path, info, ok := find(dir, imdbNames...); ok {
		items = append(items, Item{CorpusKind, "imdb", path, fileSize(info)})
	}
	own, err := installedOwn(dir)
	if err != nil {
		return nil, err
	}
	items = append(items, own...)
	for _, dim := range GloveDims {
		if file, info, ok := findGlove(dir, dim); ok {
			items = append(items, Item{VectorsKind, fmt.Sprintf("glove%d", dim), file.file, fileSize(info)})
		}
	}
	named, err := installedVectors(dir)
	return append(items, named...), err
}

func fileSize(info os.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// find returns the first of the names that exists in dir.
func find(dir string, names ...string) (path string, info os.FileInfo, ok bool) {
	for _, n := range names {
		path = filepath.Join(dir, n)
		if info, err := os.Stat(path); err == nil {
			return path, info, true
		}
	}
	return "", nil, false
}

// findGlove finds GloVe 6B of that dimension; the file returned has its path.
func findGlove(dir string, dim int) (g gloveFile, info os.FileInfo, ok bool) {
	for _, g := range gloveNames(dim) {
		path, info, ok := find(dir, g.file)
		if !ok {
			continue
		}
		if g.member != "" && !zipHolds(path, g.member) {
			continue
		}
		return gloveFile{path, g.member}, info, true
	}
	return gloveFile{}, nil, false
}

// NotInstalledError says that data a setting asks for is not there.
type NotInstalledError struct {
	Setting string // such as data=imdb
	Dir     string
	Remedy  string // commands that bring it
}

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("%s is not installed in %s. %s", e.Setting, e.Dir, e.Remedy)
}

func imdbMissing(dir string) error {
	return &NotInstalledError{"data=imdb", dir, "Run: exp data fetch imdb (84 MB), or exp data add aclImdb_v1.tar.gz"}
}

func gloveMissing(dir string, dim int) error {
	size := ""
	if dim == 50 {
		size = " (69 MB)"
	}
	return &NotInstalledError{fmt.Sprintf("vectors=glove%d", dim), dir,
		fmt.Sprintf("Run: exp data fetch glove --dim %d%s, or exp data add glove.6B.zip. Without any: vectors=corpus", dim, size)}
}
