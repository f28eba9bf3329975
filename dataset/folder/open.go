package folder

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/own"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/sample"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
)

// Options are how data is opened. The zero value is good.
type Options struct {
	Tokenizer string                        // name; "" is token.Default
	Extra     bool                          // also read the unlabelled reviews
	Exclude   *probe.Probe                  // of train and the unlabelled reviews, those with its texts are left out
	Excluded  func(left [dataset.Parts]int) // hears how many reviews Exclude leaves out; may be nil
	TestSeed  uint64                        // divides own data into train and test again, unless it is 0
	CacheDir  string                        // "" is the folder cache in the data folder
	Limits    dataset.Limits                // of own reviews that are added
	Progress  dataset.Progress              // called while reading
	Warn      func(error)                   // called if data could not be cached; the data is good
}

// Cache returns the folder of the caches of a data folder, "" if there is none.
func (o Options) Cache(dir string) string {
	if o.CacheDir != "" || dir == "" {
		return o.CacheDir
	}
	return filepath.Join(dir, "cache")
}

// NotCached calls Warn unless err is nil.
func (o Options) NotCached(what string, err error) {
	if err != nil && o.Warn != nil {
		o.Warn(fmt.Errorf("%s is not cached, so the next start will be as slow: %w", what, err))
	}
}

// Corpus returns the corpus of that name, split into words: "imdb" or own data from the
// data folder, or "sample", which is built in. A corpus is read from the cache as long as
// its file is unchanged.
func Corpus(ctx context.Context, dir, name string, o Options) (*dataset.Corpus, error) {
	all := o
	all.Extra = o.Extra || o.Exclude != nil // its words count in the vocabulary
	c, err := whole(ctx, dir, name, all)
	if err == nil && o.TestSeed != 0 {
		if c, err = c.Resplit(o.TestSeed); err != nil {
			err = &ResplitError{fmt.Errorf("data=%s data.test_seed=%d: %w", name, o.TestSeed, err)}
		}
	}
	if err != nil || o.Exclude == nil {
		return c, err
	}
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	c, left := c.Without(tok, o.Exclude.Texts(), o.Exclude.Digest())
	if o.Excluded != nil {
		o.Excluded(left)
	}
	if !o.Extra {
		c.Extra = dataset.Split{}
	}
	return c, nil
}

// ResplitError is data that cannot be divided into train and test again.
type ResplitError struct{ error }

// cached returns the result of load, or if that fails the result of read, which store then
// caches. If it cannot be cached, o.Warn is called.
func cached[T any](dir, what string, o Options, load, read func() (T, error), store func(T) error) (T, error) {
	if o.Cache(dir) == "" {
		return read()
	}
	if x, err := load(); err == nil {
		return x, nil
	}
	x, err := read()
	if err == nil {
		o.NotCached(what, store(x))
	}
	return x, err
}

// whole is Corpus without Exclude and TestSeed.
func whole(ctx context.Context, dir, name string, o Options) (*dataset.Corpus, error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	if name == "sample" {
		return sampleCorpus(ctx, tok)
	}
	path, err := findCorpus(dir, name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	cacheDir, state := o.Cache(dir), ""
	c, err := cached(dir, "data="+name, o,
		func() (*dataset.Corpus, error) {
			return cache.ReadCorpus(cacheDir, cache.ReadStamp(cacheDir, path), tok)
		},
		func() (c *dataset.Corpus, err error) {
			src, err := File(name, path, path, o)
			if err == nil {
				state, err = cache.StateOf(path)
			}
			if err != nil {
				return nil, err
			}
			return dataset.Build(ctx, name, src, tok)
		},
		func(c *dataset.Corpus) error {
			if err := cache.WriteCorpus(cacheDir, c); err != nil {
				return err
			}
			return cache.WriteStamp(cacheDir, path, state, c.Digest)
		})
	if err != nil {
		return nil, err
	}
	c.Name = name
	if !o.Extra {
		c.Extra = dataset.Split{}
	}
	return c, nil
}

// samples are the sample data set, split into words, by tokeniser. A lesson, a page and a
// series of runs open it many times.
var samples sync.Map // string → *dataset.Corpus

func sampleCorpus(ctx context.Context, tok token.Tokenizer) (*dataset.Corpus, error) {
	if c, ok := samples.Load(tok.Name); ok {
		own := *c.(*dataset.Corpus)
		return &own, nil
	}
	c, err := dataset.Build(ctx, "sample", sample.Source{}, tok)
	if err == nil {
		own := *c
		samples.Store(tok.Name, &own)
	}
	return c, err
}

// File returns the source for the file of a corpus: an aclImdb folder or archive, or own
// data. Messages name it shown.
func File(name, path, shown string, o Options) (dataset.Source, error) {
	if name != "imdb" {
		return own.Open(path, shown, o.Progress)
	}
	return imdb.Open(path, shown, o.Progress)
}

// Source returns the original texts of a corpus, of which Corpus keeps words only.
func Source(dir, name string, o Options) (dataset.Source, error) {
	if name == "sample" {
		return sample.Source{}, nil
	}
	own, err := findOwn(dir, name, "")
	if err == nil && own.Kind == ProbeKind {
		p, err := Probe(context.Background(), dir, name, o)
		return probe.Source{Probe: p, Shown: own.Path}, err
	}
	path, err := findCorpus(dir, name)
	if err != nil {
		return nil, err
	}
	return File(name, path, path, o)
}

// Test returns the test reviews of a corpus or a probe, split into words.
func Test(ctx context.Context, dir, name string, o Options) (*dataset.Corpus, error) {
	src, err := Source(dir, name, o)
	tok, tokErr := token.Get(o.Tokenizer)
	if p, is := src.(probe.Source); is && err == nil && tokErr == nil {
		return dataset.Build(ctx, name, p, tok)
	}
	return Corpus(ctx, dir, name, o)
}

// Pairs returns the sentence pairs of that name: phrases.Name, or a data set added by
// AddPairs. The vocabularies are those of the kept training pairs. For a data set of
// reviews the error is a *KindError.
func Pairs(ctx context.Context, dir, name string, o pairs.Options) (*pairs.Corpus, error) {
	train, test, err := PairTexts(ctx, dir, name, o.Progress)
	if err != nil {
		return nil, err
	}
	return pairs.New(name, train, test, o)
}

// PairTexts returns the original texts of the pairs of a data set, in the order of their
// IDs.
func PairTexts(ctx context.Context, dir, name string, progress dataset.Progress) (train, test []pairs.Pair, err error) {
	if name == phrases.Name {
		train, test = phrases.Pairs()
		return train, test, nil
	}
	own, err := findOwn(dir, name, PairsKind)
	if err != nil {
		return nil, nil, err
	}
	return pairs.Read(ctx, own.Path, own.Path, progress)
}

// Probe returns the minimal pairs of that name: added ones, or sample for those of the sample data
// set. For data of another kind the error is a *KindError.
func Probe(ctx context.Context, dir, name string, o Options) (*probe.Probe, error) {
	if name == "sample" {
		return sample.MinimalPairs(), nil
	}
	i, err := findOwn(dir, name, ProbeKind)
	if err != nil {
		return nil, err
	}
	p, err := probe.Open(ctx, i.Path, i.Path, o.Progress)
	if err == nil {
		p.Name = name
	}
	return p, err
}

// Vectors returns word vectors for the words of a corpus, for all words if it is nil: "glove50", 100,
// 200 or 300 from the data folder, added vectors by name, or a file. They are cached.
func Vectors(ctx context.Context, dir, name string, c *dataset.Corpus, o Options) (*vectors.Set, error) {
	var keep []string
	if c != nil {
		keep = c.Vocab.Words
	}
	file, err := findVectors(dir, name)
	if err != nil {
		return nil, err
	}
	cacheDir, state := o.Cache(dir), ""
	v, err := cached(dir, "vectors="+name, o,
		func() (*vectors.Set, error) {
			return cache.ReadVectors(cacheDir, cache.ReadStamp(cacheDir, file), c)
		},
		func() (v *vectors.Set, err error) {
			if state, err = cache.StateOf(file); err != nil {
				return nil, err
			}
			return vectors.Read(ctx, file, vectors.Options{Keep: keep, Progress: o.Progress, Warn: o.Warn})
		},
		func(v *vectors.Set) error {
			if err := cache.WriteVectors(cacheDir, v, c); err != nil {
				return err
			}
			return cache.WriteStamp(cacheDir, file, state, v.Digest)
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
	read := func() (*vectors.Set, error) {
		v, err := cache.ReadVectors(cacheDir, whole, c)
		if err != nil {
			v, err = cache.ReadVectors(cacheDir, bounded, c)
		}
		return v, err
	}
	v, err := cached(dir, "vectors=corpus", o, read, train, func(v *vectors.Set) error { return cache.WriteVectors(cacheDir, v, c) })
	if err != nil {
		return nil, err
	}
	v.Name = "corpus"
	if v.Digest == bounded && o.Warn != nil {
		o.Warn(fmt.Errorf("vectors=corpus of data=%s: there are more than %d million different pairs of neighbouring words; the rarest words were omitted", c.Name, cmp.Or(co.MaxPairs, corpusvec.MaxPairs)/1e6))
	}
	return v, nil
}
