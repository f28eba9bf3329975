package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OpenVectors returns word vectors for the words of a corpus: "glove50", 100,
// 200 or 300 from the data folder, others that were added to it by their name,
// or a file, whose member is named as in FILE.zip#MEMBER. The subset is cached.
func OpenVectors(ctx context.Context, dir, name string, c *Corpus, o OpenOptions) (*Vectors, error) {
	cache := o.cacheDir(dir)
	return openVectors(ctx, dir, name, c.Vocab.words, o,
		func(digest string) (*Vectors, error) { return readVectorCache(cache, digest, c) },
		func(v *Vectors) error { return writeVectorCache(cache, v, c) })
}

// OpenAllVectors returns the vectors of all words, in the order of their file,
// from where OpenVectors has them. Up to a gigabyte is cached.
func OpenAllVectors(ctx context.Context, dir, name string, o OpenOptions) (*Vectors, error) {
	cache := o.cacheDir(dir)
	return openVectors(ctx, dir, name, nil, o,
		func(digest string) (*Vectors, error) { return readAllCache(cache, digest) },
		func(v *Vectors) error { return writeAllCache(cache, v) })
}

// openVectors finds vectors by name and returns what load finds in the cache by
// their digest, or else reads the words to keep, which store puts there.
func openVectors(ctx context.Context, dir, name string, keep []string, o OpenOptions,
	load func(digest string) (*Vectors, error), store func(*Vectors) error) (*Vectors, error) {
	file, member, err := findVectors(dir, name)
	if err != nil {
		return nil, err
	}
	cache, state := o.cacheDir(dir), ""
	v, err := cached(ctx, dir, "vectors="+name, o,
		func() (*Vectors, error) { return load(readStamp(cache, file, member)) },
		func() (v *Vectors, err error) {
			if state, err = stateOf(file); err != nil {
				return nil, err
			}
			return ReadVectors(ctx, file, VectorOptions{Member: member, Keep: keep, Progress: o.Progress})
		},
		func(v *Vectors) error {
			if err := store(v); err != nil {
				return err
			}
			return writeStamp(cache, file, member, state, v.Digest)
		})
	if err != nil {
		return nil, err
	}
	v.Name = name
	return v, nil
}

// findVectors returns where the vectors of that name lie.
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
		file, member = splitMember(name)
	}
	file, err = filepath.Abs(file)
	return file, member, err
}

// namedVectors returns the file of added vectors, "" if a name can only be that
// of a file.
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
			names = append(names, gloveName(dim))
		}
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return "", &NotInstalledError{"vectors=" + name, dir, "Use " + strings.Join(names, ", ") + ", a file, or add one: exp data add FILE --name " + name}
	}
	return "", nil
}
