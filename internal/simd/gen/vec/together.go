//go:build generate

package main

import (
	"log"
	"slices"
	_ "unsafe" // for go:linkname

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
)

// context is where avo's functions record the kernels; avo does not export it.
//
//go:linkname context github.com/mmcloughlin/avo/build.ctx
var context *build.Context

// together writes the bodies of n parts, which differ only in registers and places. If s.paired
// is set, it interleaves their instructions. An elementary function is one long chain. A
// processor that looks some hundred instructions ahead finds twice as many to start if two
// chains are interleaved.
func (s *isa) together(n int, body func(i int)) {
	if !s.paired {
		for i := range n {
			body(i)
		}
		return
	}
	file, err := context.Result()
	if err != nil {
		log.Fatal(err)
	}
	fns := file.Functions()
	fn := fns[len(fns)-1]
	start := len(fn.Nodes)
	var chains [][]ir.Node
	for i := range n {
		from := len(fn.Nodes)
		body(i)
		chains = append(chains, slices.Clone(fn.Nodes[from:]))
	}
	fn.Nodes = fn.Nodes[:start]
	for k := range chains[0] {
		for _, c := range chains {
			fn.Nodes = append(fn.Nodes, c[k])
		}
	}
}

// chains is the number of groups of 16 elements whose interleaved chains fit the registers.
func (s *isa) chains() int {
	if s.zmm && s.paired {
		return 2
	}
	return 1
}
