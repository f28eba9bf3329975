// Package models holds one attention model a file, written as its equations on
// ops, and a registry that finds them by name. A model is the struct of its own
// settings; it knows no files, flags or data sets.
package models

import (
	"fmt"
	"maps"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
)

// Model builds its part of the graph: from the words of a batch to the logits.
type Model interface {
	Build(b *Builder, x *ops.Node) Output
}

// Output is what a model makes of a batch of B reviews with N words.
type Output struct {
	Logits    *ops.Node  // [B, C]
	Attention *ops.Node  // [N, 1], or nil
	Entropy   *ops.Node  // [B, 1] in nats, or nil
	Penalties []ops.Term // added to the cost of training

	Layers         []*ops.Node // of self-attention, or of a translator's to the source: the entropies of each layer's heads [B, H]
	Words          *ops.Node   // the words as those layers see them, with [CLS] and padding [N, ·]
	HeadSimilarity []*ops.Node // [1, 1] each: how alike the heads' weights are
	Smoothing      float64     // of the labels, in training
	Adversary      *Adversary  // what training minimises in place of the loss; nil for the loss
	Members        []*ops.Node // of an ensemble: each one's logits [B, C], whose losses are trained on; nil for others

	Rows             ops.VocabularyResult // of a translator, in place of the logits
	Encoder, Decoder []*ops.Node          // of a translator's self-attention: as Layers
}

// BatchDependent is a model whose word on a review can depend on the others of
// its batch, in evaluation too.
type BatchDependent interface{ BatchDependent() bool }

// Rectifier is a model that may hold its logits at zero by a ReLU, of which one can be dead.
type Rectifier interface{ RectifiesLogits() bool }

// Unordered is a model that shows no word of its own and to which their order is
// nothing: n-grams may stand among them.
type Unordered interface{ Unordered() }

// Checker is a model that refuses settings which would have no effect.
type Checker interface{ Check() error }

// Info describes a model in the registry.
type Info struct {
	Name   string
	Title  string // a line
	Source string
	New    func() Model // with zero settings
}

var registry = map[string]Info{}

// register is called by each model's file.
func register(i Info) {
	registry[i.Name] = i
	settings.Declare(i.Name, i.New())
}

// Lookup returns the model of that name.
func Lookup(name string) (Info, error) {
	i, ok := registry[name]
	if !ok {
		return i, fmt.Errorf("unknown model %q%s", name, settings.Nearest(name, Names()))
	}
	return i, nil
}

// Names returns the models' names in alphabetical order.
func Names() []string {
	return slices.Sorted(maps.Keys(registry))
}
