package models

import (
	"imdbexp/internal/ops"
)

// States returns the words' vectors after the last layer of self-attention [N, d].
func (n *Network) States() ops.Mat { return n.out.Words.Mat() }

// InOrder has the network run as in a browser from now on.
func (n *Network) InOrder() error { return n.machine.InOrder() }

// Gradients returns those of the weights and, where these are trained, of the words' vectors.
func (n *Network) Gradients() (out []ops.Mat) {
	for _, of := range n.grads {
		out = append(out, of())
	}
	if n.rowGrad != nil {
		out = append(out, n.rowGrad())
	}
	return out
}
