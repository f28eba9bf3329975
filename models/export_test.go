package models

import "imdbexp/internal/ops"

// States returns the words' vectors after the last layer of self-attention [N, d].
func (n *Network) States() ops.Mat { return n.out.Words.Mat() }
