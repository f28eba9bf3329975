package models

import "imdbexp/internal/ops"

// Node is a value in a model's graph: a matrix with a row for each word of the batch [N, ·], for each
// review [B, ·], or one row for all. Cols is its width.
//
// The functions from here on are for models outside this module, which cannot import package ops.
// Builder has the layers.
type Node = ops.Node

// Attend returns the attention softmaxᵢ(scale·q·kᵢ) of a query, [1, d] for all reviews or [B, d], to
// the keys [N, d] of each review: the weights [N, 1], and their entropy [B, 1] in nats.
func Attend(query, keys *Node, scale float32) (attention, entropy *Node) {
	return ops.Attend(query, keys, scale)
}

// WeightedSum returns Σᵢ αᵢ vᵢ [B, d] of the values [N, d] of each review, by their weights [N, 1].
func WeightedSum(weights, values *Node) *Node { return ops.WeightedSum(weights, values) }

// Max returns the maximum of each column over the rows of each review [B, d]; x is [N, d].
func Max(x *Node) *Node { return ops.Max(x) }

// AddReview adds to each row of x [N, d] the row of its review in s [B, d].
func AddReview(x, s *Node) *Node { return ops.AddReview(x, s) }

// Add returns a + b.
func Add(a, b *Node) *Node { return ops.Add(a, b) }

// Mul returns a ⊙ b, element by element.
func Mul(a, b *Node) *Node { return ops.Mul(a, b) }

// Concat joins the columns of a [·, p] and b [·, q] to [·, p+q].
func Concat(a, b *Node) *Node { return ops.Concat(a, b) }

// Tanh returns tanh(x), element by element.
func Tanh(x *Node) *Node { return ops.Tanh(x) }

// ReLU returns max(x, 0), element by element.
func ReLU(x *Node) *Node { return ops.ReLU(x) }

// Sigmoid returns 1/(1+e⁻ˣ), element by element.
func Sigmoid(x *Node) *Node { return ops.Sigmoid(x) }

// Dropout zeroes each element with probability p in training, and scales the others by 1/(1−p). The
// random numbers depend on the seed, the name and the position, so each dropout of a model needs a name.
func Dropout(x *Node, name string, p float32) *Node { return ops.Dropout(x, name, p) }
