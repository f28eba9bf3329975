package dataset

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// OpenVectors returns word vectors for the words of a corpus: "glove50", 100,
// 200 or 300 from the data folder, or a file, whose member is named as in
// FILE.zip#MEMBER. The subset is cached.
func OpenVectors(ctx context.Context, dir, name string, c *Corpus, o OpenOptions) (*Vectors, error) {
	file, member, _ := strings.Cut(name, "#")
	if dim, err := strconv.Atoi(strings.TrimPrefix(name, "glove")); err == nil && strings.HasPrefix(name, "glove") {
		g, _, ok := findGlove(dir, dim)
		if !ok {
			return nil, gloveMissing(dir, dim)
		}
		file, member = g.file, g.member
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	cache, state := o.cacheDir(dir), ""
	v, err := cached(ctx, dir, "vectors="+name, o,
		func() (*Vectors, error) { return readVectorCache(cache, readStamp(cache, file, member), c) },
		func() (v *Vectors, err error) {
			if state, err = stateOf(file); err != nil {
				return nil, err
			}
			return ReadVectors(ctx, file, VectorOptions{Member: member, Keep: c.Vocab.words, Progress: o.Progress})
		},
		func(v *Vectors) error {
			return errors.Join(writeVectorCache(cache, v, c), writeStamp(cache, file, member, state, v.Digest))
		})
	if err != nil {
		return nil, err
	}
	v.Name = name
	return v, nil
}
