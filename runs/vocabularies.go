package runs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/internal/safetensors"
)

// Vocabularies are the words of the two languages of a translation run in the order
// of their IDs.
type Vocabularies struct{ Source, Target []string }

func (v *Vocabularies) check() error {
	if len(v.Source) == 0 || len(v.Target) == 0 {
		return fmt.Errorf("runs: vocabularies of %d and %d words: want one or more", len(v.Source), len(v.Target))
	}
	return nil
}

// PutVocabularies keeps vocabularies under dir, once however many runs use them, and
// returns their digest for Config.Table: translation runs have no other vectors than
// those that they train.
func PutVocabularies(dir string, v *Vocabularies) (digest string, err error) {
	if err := v.check(); err != nil {
		return "", err
	}
	return putStored(dir, &safetensors.File{
		Metadata: map[string]string{"format": strconv.Itoa(Format), "kind": "vocabularies"},
		Tensors:  append(wordTensors("source.", v.Source), wordTensors("target.", v.Target)...),
	})
}

// Vocabularies returns the words of a translation run.
func (r *Run) Vocabularies() (*Vocabularies, error) {
	if r.Config.Task() != Pairs {
		return nil, fmt.Errorf("%s translates nothing: it was trained on reviews", r.Label())
	}
	return readStored(r.storeDir(), r.Config.Table, r.Config.limit(storeFolder), decodeVocabularies)
}

func decodeVocabularies(f *safetensors.File) (*Vocabularies, error) {
	source, err1 := wordsOf(f, "source.")
	target, err2 := wordsOf(f, "target.")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	v := &Vocabularies{source, target}
	return v, v.check()
}

// NgramsKind is the kind of data, reviews all the same, of which n-grams are counted.
const NgramsKind = "ngrams"

// Counts reports whether the run counts n-grams, and so has Features and no word vectors.
func (c *Config) Counts() bool { return c.Data.Kind == NgramsKind }

// Wide reports whether a network of the run has n-grams beside it (setting wide). They and
// their weights are among the States of its checkpoints.
func (c *Config) Wide() bool {
	wide := c.Setting("wide")
	return wide != "" && wide != "none"
}

// Learned returns the arrays of what was learned: Params, and the weights of the n-grams
// that a network has beside it, which were fitted before.
func (c *Config) Learned(from *Checkpoint) []Tensor {
	out := slices.Clone(from.Params)
	if c.Wide() {
		for _, t := range from.States {
			if t.Name == wideWeights || t.Name == "wide.b" {
				out = append(out, t)
			}
		}
	}
	return out
}

// wideWeights is what a network calls those weights.
const wideWeights = "wide.W"

// OfNgrams reports whether an array that was learned has a row for each n-gram.
func (c *Config) OfNgrams(t Tensor) bool {
	return c.Counts() && t.Name == "W" || c.Wide() && t.Name == wideWeights
}

// PutFeatures keeps the n-grams that a run counts, as their package writes them, under
// dir, once however many runs use them, and returns their digest for Config.Table.
func PutFeatures(dir string, features []byte) (digest string, err error) {
	return putStored(dir, &safetensors.File{
		Metadata: map[string]string{"format": strconv.Itoa(Format), "kind": "features"},
		Tensors:  []Tensor{{Name: "features", Shape: []int{len(features)}, Data: features}},
	})
}

// Features returns the n-grams that a run counts, as their package reads them.
func (r *Run) Features() ([]byte, error) {
	if !r.Config.Counts() {
		return nil, fmt.Errorf("%s counts no n-grams", r.Label())
	}
	return readStored(r.storeDir(), r.Config.Table, r.Config.limit(storeFolder), func(f *safetensors.File) ([]byte, error) {
		b, _, err := safetensors.Get[byte](f, "features")
		return b, err
	})
}
