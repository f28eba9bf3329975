package runs

import "slices"

// NgramsKind is the kind of data of which n-grams are counted: reviews as a bag of n-grams.
const NgramsKind = "ngrams"

// Counts reports whether the run's model counts n-grams. It then has Features and no word vectors.
func (c *Config) Counts() bool { return c.Data.Kind == NgramsKind }

// WideAndDeep reports whether the run adds the scores of an n-gram model to those of its
// network (setting wide; Cheng et al. 2016). The n-grams and their weights are among the
// States of its checkpoints.
func (c *Config) WideAndDeep() bool {
	wide := c.Setting("wide")
	return wide != "" && wide != "none"
}

// Names of the n-gram model's weights among the States.
const (
	wideWeights = "wide.W"
	wideBias    = "wide.b"
)

// Learned returns the trained arrays: Params, and the weights of an n-gram model next to
// the network, which were fitted before it.
func (c *Config) Learned(from *Checkpoint) []Tensor {
	out := slices.Clone(from.Params)
	if c.WideAndDeep() {
		for _, t := range from.States {
			if t.Name == wideWeights || t.Name == wideBias {
				out = append(out, t)
			}
		}
	}
	return out
}

// HasNgramRows reports whether a trained array has a row for each n-gram.
func (c *Config) HasNgramRows(t Tensor) bool {
	return c.Counts() && t.Name == "W" || c.WideAndDeep() && t.Name == wideWeights
}
