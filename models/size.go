package models

import "imdbexp/internal/ops"

// Floats returns about how many float32 the network's buffers hold once it has
// run on a batch of that extent, without weights and word vectors.
func (n *Network) Floats(e ops.Extent) int { return n.g.Floats(e) }

// Shards returns into how many shards the network cuts a batch of that extent; each
// has a gradient of the weights of its own.
func (n *Network) Shards(e ops.Extent) int { return n.g.Shards(e) }
