package folder

import (
	"cmp"
	"context"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/vectors"
)

// Vectors returns word vectors for the words of a corpus, for all words if it is nil: "glove50", 100,
// 200 or 300 from the data folder, added vectors by name, or a file. They are cached.
func Vectors(ctx context.Context, dir, name string, c *dataset.Corpus, o Options) (*vectors.Set, error) {
	var keep []string
	if c != nil {
		keep = c.Vocab.Words()
	}
	file, member, err := findVectors(dir, name)
	if err != nil {
		return nil, err
	}
	cacheDir, state := o.Cache(dir), ""
	v, err := cached(ctx, dir, "vectors="+name, o,
		func() (*vectors.Set, error) {
			return cache.ReadVectors(cacheDir, cache.ReadStamp(cacheDir, file, member), c)
		},
		func() (v *vectors.Set, err error) {
			if state, err = cache.StateOf(file); err != nil {
				return nil, err
			}
			return vectors.Read(ctx, file, vectors.Options{Member: member, Keep: keep, Progress: o.Progress, Warn: o.Warn})
		},
		func(v *vectors.Set) error {
			if err := cache.WriteVectors(cacheDir, v, c); err != nil {
				return err
			}
			return cache.WriteStamp(cacheDir, file, member, state, v.Digest)
		})
	if err != nil {
		return nil, err
	}
	v.Name = name
	return v, nil
}

// CorpusVectors returns vectors trained on the training and unlabelled reviews of the
// corpus, never on its test reviews; open the corpus with Options.Extra for the unlabelled
// ones. The vectors are cached: co.Progress is called only if they have to be trained.
func CorpusVectors(ctx context.Context, dir string, c *dataset.Corpus, co corpusvec.Options, o Options) (*vectors.Set, error) {
	if co.Dim == 0 {
		co.Dim = 50
	}
	train := func() (*vectors.Set, error) { return vectors.Trained(ctx, c, co) }
	if c.Name == "sample" {
		return train() // as fast as reading them
	}
	cacheDir := o.Cache(dir)
	whole, bounded := vectors.TrainedDigests(c, co)
	v, err := cached(ctx, dir, "vectors=corpus", o,
		func() (*vectors.Set, error) {
			v, err := cache.ReadVectors(cacheDir, whole, c)
			if err != nil {
				v, err = cache.ReadVectors(cacheDir, bounded, c)
			}
			return v, err
		},
		train,
		func(v *vectors.Set) error { return cache.WriteVectors(cacheDir, v, c) })
	if err != nil {
		return nil, err
	}
	v.Name = "corpus"
	if v.Digest == bounded && o.Warn != nil {
		o.Warn(fmt.Errorf("vectors=corpus of data=%s: there are more than %d million different pairs of neighbouring words; the rarest words were omitted", c.Name, cmp.Or(co.MaxPairs, corpusvec.MaxPairs)/1e6))
	}
	return v, nil
}
