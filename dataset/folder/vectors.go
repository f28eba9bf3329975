package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/phrases"
)

// vectorsSuffixes are the suffixes of all files of installed vectors.
var vectorsSuffixes = func() (all []string) {
	for _, binary := range []bool{false, true} {
		for _, pack := range []string{"", ".gz", ".zst", ".zip"} {
			all = append(all, vectorsSuffix(binary)+pack)
		}
	}
	return all
}()

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// CheckName returns an error for a name that own data or vectors cannot have.
func CheckName(name string) error {
	switch {
	case !goodName.MatchString(name):
		return fmt.Errorf("the name %s: use up to 64 small letters, digits and hyphens", stream.Quote(name))
	case slices.Contains([]string{"imdb", "sample", phrases.Name, "auto", "corpus", "random"}, name), strings.HasPrefix(name, "glove"):
		return fmt.Errorf("the name %s is reserved: choose another", name)
	}
	return nil
}

// installedVectors lists the vectors that the user named, by name.
func installedVectors(dir string) ([]Item, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var items []Item
	for _, e := range entries { // in the order of their names
		name, rest, _ := strings.Cut(e.Name(), ".")
		if !slices.Contains(vectorsSuffixes, "."+rest) || CheckName(name) != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // which follows links
		if err != nil || !info.Mode().IsRegular() || len(items) > 0 && items[len(items)-1].Name == name {
			continue
		}
		items = append(items, Item{VectorsKind, name, path, info.Size()})
	}
	return items, nil
}

// namedVectors returns the file of installed vectors, "" if name can only be a file.
func namedVectors(dir, name string) (file string, err error) {
	items, err := installedVectors(dir)
	if err != nil || !goodName.MatchString(name) {
		return "", err
	}
	names := []string{"corpus", "random"}
	for _, i := range items {
		if i.Name == name {
			return i.Path, nil
		}
		names = append(names, i.Name)
	}
	for _, dim := range GloveDims {
		if _, _, ok := findGlove(dir, dim); ok {
			names = append(names, GloveName(dim))
		}
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return "", &NotInstalledError{Setting: "vectors=" + name, Dir: dir, Remedy: "Use " + strings.Join(names, ", ") + ", a file, or add one: exp data add FILE --name " + name}
	}
	return "", nil
}

// findVectors returns the file, and the member if it is a zip, of the vectors of that name.
func findVectors(dir, name string) (file, member string, err error) {
	if dim, err := strconv.Atoi(strings.TrimPrefix(name, "glove")); err == nil && strings.HasPrefix(name, "glove") {
		g, _, ok := findGlove(dir, dim)
		if !ok {
			return "", "", gloveMissing(dir, dim)
		}
		file, member = g.file, g.member
	} else if file, err = namedVectors(dir, name); err != nil {
		return "", "", err
	} else if file == "" {
		file, member = stream.SplitMember(name)
		switch info, err := os.Stat(file); {
		case errors.Is(err, fs.ErrNotExist):
			return "", "", fmt.Errorf("vectors=%s: there is no such file", name)
		case err == nil && info.IsDir():
			return "", "", fmt.Errorf("vectors=%s: is a folder; name a file", name)
		}
	}
	file, err = filepath.Abs(file)
	return file, member, err
}

// vectorsSuffix returns the suffix of installed vectors, without that of their packing.
func vectorsSuffix(binary bool) string {
	if binary {
		return ".vectors.bin"
	}
	return ".vectors.txt"
}
