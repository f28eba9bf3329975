package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/vectors"
)

// GloveDims are the dimensions in which GloVe 6B exists.
var GloveDims = []int{50, 100, 200, 300}

// GloveName returns the name in settings of GloVe 6B of that dimension.
func GloveName(dim int) string { return fmt.Sprintf("glove%d", dim) }

// gloveText returns the name of its text.
func gloveText(dim int) string { return fmt.Sprintf("glove.6B.%dd.txt", dim) }

// publishedFiles returns the names that the file of published data may have in the data folder, the
// one that Add gives first.
func publishedFiles(name string) []string {
	if name == "imdb" {
		return []string{"aclImdb.tar.gz", "aclImdb.tar", "aclImdb_v1.tar.gz"}
	}
	for _, dim := range GloveDims {
		if text := gloveText(dim); GloveName(dim) == name {
			return []string{text + ".gz", text, strings.TrimSuffix(text, ".txt") + ".zip"}
		}
	}
	return nil
}

// findPublished finds the file of published data.
func findPublished(dir, name string) (i Item, ok bool) {
	for _, file := range publishedFiles(name) {
		path := filepath.Join(dir, file)
		info, err := os.Stat(path)
		if dir == "" || err != nil {
			continue
		}
		i = Item{VectorsKind, name, path, info.Size()}
		if name == "imdb" {
			i.Kind = CorpusKind
		}
		return i, true
	}
	return Item{}, false
}

// missing is the error for published data that is not installed.
func missing(dir, name string) error {
	if name == "imdb" {
		return &NotInstalledError{Setting: "data=imdb", Dir: dir, Remedy: "Run: exp data fetch imdb (84 MB), or exp data add aclImdb_v1.tar.gz"}
	}
	dim := strings.TrimPrefix(name, "glove")
	if dim == "50" {
		dim += " (69 MB)"
	}
	return &NotInstalledError{Setting: "vectors=" + name, Dir: dir,
		Remedy: "Run: exp data fetch glove --dim " + dim + ", or exp data add glove.6B.zip. Without any: vectors=corpus"}
}

// ownSuffix has the suffixes of the files with the user's data, texts their contents, and arguments those of
// exp data add for them.
var (
	ownSuffix = map[Kind]string{CorpusKind: ".reviews.jsonl.gz", PairsKind: ".pairs.jsonl.gz", ProbeKind: ".probe.jsonl.gz", VectorsKind: ".vectors.gz"}
	texts     = map[Kind]string{CorpusKind: "labelled reviews", PairsKind: "sentence pairs", ProbeKind: "minimal pairs to test on"}
	arguments = map[Kind]string{PairsKind: "FILE.tsv --pairs --name NAME", ProbeKind: "FILE.tsv --probe --name NAME"}
)

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// CheckName returns an error for a name that own data or vectors cannot have.
func CheckName(name string) error {
	switch {
	case !goodName.MatchString(name) || len(name) > 64:
		return fmt.Errorf("the name %s: use up to 64 small letters, digits and hyphens", stream.Quote(name))
	case slices.Contains([]string{"imdb", "sample", phrases.Name, "auto", "corpus", "random"}, name), strings.HasPrefix(name, "glove"):
		return fmt.Errorf("the name %s is reserved: choose another", name)
	}
	return nil
}

// installedOwn lists the user's data sets and vectors in the data folder, by name.
func installedOwn(dir string) (data, vectors []Item, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries {
		name, suffix, _ := strings.Cut(e.Name(), ".")
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // which follows links
		if CheckName(name) != nil || err != nil || !info.Mode().IsRegular() {
			continue
		}
		for kind, own := range ownSuffix {
			switch i := (Item{kind, name, path, info.Size()}); {
			case own != "."+suffix:
			case kind == VectorsKind:
				vectors = append(vectors, i)
			default:
				data = append(data, i)
			}
		}
	}
	return data, vectors, nil
}

// NotInstalledError is the error for a setting whose data is not installed.
type NotInstalledError struct {
	Setting string // such as data=imdb
	Dir     string
	Remedy  string   // commands that install it
	Known   []string // installed data sets of its kind; nil if their names do not help
}

func (e *NotInstalledError) Error() string {
	setting := strings.Join(strings.Fields(e.Setting), " ") // on one line
	if e.Dir == "" {
		return setting + " is not installed: there is no data folder. Give one with --data-dir or $EXP_DATA. " + e.Remedy
	}
	return fmt.Sprintf("%s is not installed in %s. %s", setting, e.Dir, e.Remedy)
}

// KindOf returns the kind of the data set of that name, CorpusKind or PairsKind. The error
// is a *NotInstalledError if there is none.
func KindOf(dir, name string) (Kind, error) {
	i, err := findOwn(dir, name, "")
	return i.Kind, err
}

// builtIn are the data sets that are part of the program.
var builtIn = []Item{{Kind: CorpusKind, Name: "sample"}, {Kind: PairsKind, Name: phrases.Name}}

func named(name string) func(Item) bool { return func(i Item) bool { return i.Name == name } }

// findCorpus returns the path of an installed corpus.
func findCorpus(dir, name string) (string, error) {
	i, err := findOwn(dir, name, CorpusKind)
	if err == nil && name == "imdb" && i.Path == "" {
		err = missing(dir, name)
	}
	return i.Path, err
}

// findOwn finds data of a kind, "" for any. IMDB has a kind, but no path, if it is not installed.
func findOwn(dir, name string, want Kind) (Item, error) {
	all, err := Installed(dir)
	data := slices.Concat(builtIn[:1], slices.DeleteFunc(slices.Clone(all), func(i Item) bool { return i.Kind == VectorsKind }), builtIn[1:])
	i := slices.IndexFunc(data, named(name))
	if i < 0 && name == "imdb" {
		i, data = len(data), append(data, Item{Kind: CorpusKind, Name: name})
	}
	if i >= 0 && (want == "" || data[i].Kind == want) {
		return data[i], nil
	}
	if err != nil {
		return Item{}, err
	}
	known := []string{}
	for _, d := range data {
		if d.Path+d.Name != "imdb" && (d.Kind == want || want == "" && d.Kind != ProbeKind) {
			known = append(known, d.Name)
		}
	}
	names, add := cmp.Or(strings.Join(known, ", "), "none"), "exp data add "+cmp.Or(arguments[want], "FILE --name NAME")
	setting := "data=" + name
	if want == ProbeKind {
		setting = name
	}
	if i >= 0 {
		return Item{}, fmt.Errorf("%s has %s, but %s are needed: choose %s, or add your own: %s", setting, texts[data[i].Kind], texts[want], names, add)
	}
	remedy := "Installed: " + names + ". Own data: " + add
	if slices.ContainsFunc(all, named(name)) {
		remedy = name + " are word vectors, vectors=" + name + ". " + remedy
	}
	return Item{}, &NotInstalledError{Setting: setting, Dir: dir, Known: known, Remedy: remedy}
}

// findVectors returns the file of the vectors of that name.
func findVectors(dir, name string) (file string, err error) {
	if strings.HasPrefix(name, "glove") && strings.Trim(name[len("glove"):], "0123456789") == "" {
		i, ok := findPublished(dir, name)
		if !ok {
			return "", missing(dir, name)
		}
		return filepath.Abs(i.Path)
	}
	items, err := Installed(dir)
	if err != nil {
		return "", err
	}
	names := []string{"corpus", "random"}
	for _, i := range items {
		if i.Kind == VectorsKind && i.Name == name {
			return filepath.Abs(i.Path)
		}
		if i.Kind == VectorsKind {
			names = append(names, i.Name)
		}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && goodName.MatchString(name):
		return "", &NotInstalledError{Setting: "vectors=" + name, Dir: dir, Remedy: "Use " + strings.Join(names, ", ") + ", a file, or add one: exp data add FILE --name " + name}
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("vectors=%s: there is no such file", name)
	case err == nil && info.IsDir():
		return "", fmt.Errorf("vectors=%s: is a folder; name a file", name)
	}
	return filepath.Abs(name)
}

// found is data that a file holds, as recognised by detect.
type found struct {
	kind   Kind
	name   string // in settings: imdb, glove50
	file   string // its name in the data folder
	member string // of a zip, "" for the only one
}

// foundIMDB is the aclImdb folder or archive, which is packed when it is added.
var foundIMDB = found{kind: CorpusKind, name: "imdb", file: "aclImdb.tar.gz"}

func foundGloVe(dim int, member string) found {
	return found{VectorsKind, GloveName(dim), gloveText(dim) + ".gz", member}
}

// detect recognises a file or folder by its content, not by its name. A zip of GloVe may hold several dimensions.
func detect(ctx context.Context, file string) ([]found, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(file, "train", "pos")); err != nil {
			return nil, fmt.Errorf("%s: not the aclImdb folder: it has no train/pos. Your own reviews need a name: --name NAME", file)
		}
		return []found{foundIMDB}, nil
	}
	names, err := stream.Members(ctx, file, dataset.DefaultLimits.TotalBytes)
	if err != nil {
		return nil, err
	}
	var glove []found
	for _, dim := range GloveDims {
		if slices.ContainsFunc(names, func(n string) bool { return path.Base(n) == gloveText(dim) }) {
			glove = append(glove, foundGloVe(dim, gloveText(dim)))
		}
	}
	switch {
	case slices.ContainsFunc(names, imdb.IsReview):
		return []found{foundIMDB}, nil
	case len(glove) > 0:
		return glove, nil
	case len(names) > 0:
		return nil, fmt.Errorf("%s: an archive without aclImdb's folders (train/pos and so on) and without GloVe 6B vectors; it holds %s. Other vectors %s", file, stream.Listed(names), otherVectors)
	}
	switch dim, head, err := vectors.Detect(ctx, file); {
	case err != nil:
		return nil, err
	case dim == 0:
		return nil, fmt.Errorf("%s: neither the aclImdb archive or folder nor GloVe 6B vectors (text, .gz or .zip). Your own reviews or vectors need a name: --name NAME", file)
	case !slices.Contains(GloveDims, dim) || !gloveWords.Match(head):
		return nil, fmt.Errorf("%s: word vectors of %d dimensions, but not GloVe 6B. Such vectors %s", file, dim, otherVectors)
	default:
		return []found{foundGloVe(dim, "")}, nil
	}
}

// gloveWords matches the most frequent words of GloVe 6B. The other GloVe sets begin with other words.
var gloveWords = regexp.MustCompile(`^the .*\n, .*\n\. `)

// otherVectors says how to use vectors that are not GloVe 6B.
const otherVectors = "need a name, --name NAME, or are used in place: vectors=FILE"
