// Package models holds one attention model in each file, written as its equations on ops, and a
// registry that finds them by name. A model is a struct of its settings; it knows no files, flags
// or data sets.
package models

import (
	"fmt"
	"maps"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
)

// Model builds its part of the graph, from the words of a batch [N, d] to the predictions.
type Model interface {
	Build(b *Builder, x *ops.Node) Output
}

// Output is the result of a model for a batch of B reviews, or sentence pairs, with N words.
type Output struct {
	Objective Objective   // the predictions
	Penalties []ops.Term  // added to the cost of training
	Attention *ops.Node   // with one weight for each word [N, 1]; nil without
	Entropy   *ops.Node   // of Attention [B, 1] in nats
	Layers    []*ops.Node // of attention by heads: the entropies of each layer's heads [B, H]
	Words     *ops.Node   // the words that Layers attend to, with [CLS] and padding [N, ·]

	HeadSimilarity []*ops.Node // how similar the heads' weights are [1, 1], one a layer and matrix
}

// Objective is what a network predicts and the loss of its predictions.
type Objective interface {
	// Cost adds the loss to the graph and returns the terms that training minimises.
	Cost(n *Network, s *Spec) []ops.Term
	// Losses returns the loss of each review or pair [B] in nats.
	Losses(b *ragged.Batch) []float32
	// Predictions returns the number of predictions; the loss is their mean.
	Predictions(b *ragged.Batch) int
	// Right returns the number of correct predictions.
	Right(b *ragged.Batch) int
	// Result returns the input of the softmax and a caption for its prediction, for pictures.
	Result() (n *ops.Node, predicts string)
}

// Checker is a model with an error for settings that contradict each other or have no effect.
type Checker interface{ Check() error }

// Info describes a model in the registry.
type Info struct {
	Name   string
	Title  string // one line
	Source string
	Watch  string // what to look for in its runs

	// New returns the model, a pointer to a struct, with zero settings. The exported fields with a tag
	// key are its settings; the tags default, min, max, above, below (limits), choices (a|b|c), needs
	// (condition under which it has an effect) and help describe them.
	New func() Model

	// Unordered models ignore the order of the words and show no single word, so that n-grams
	// may be among them.
	Unordered bool
}

var registry = map[string]Info{}

// Register adds a model. Call it from init. A name that is taken, and a New that returns no pointer to a
// struct, panic.
func Register(i Info) {
	if _, exists := registry[i.Name]; exists {
		panic(fmt.Sprintf("models.Register: the name %q is taken", i.Name))
	}
	settings.Declare(i.Name, i.New())
	registry[i.Name] = i
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
