package main

import (
	"log"
	"slices"
	_ "unsafe" // for go:linkname

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
)

// context is where avo's functions put what they build; it gives it to no one.
//
//go:linkname context github.com/mmcloughlin/avo/build.ctx
var context *build.Context

// together writes the bodies of n parts, which are the same but for registers and places,
// one instruction of each in turn if that is asked for. An elementary function is one long chain: a processor that looks some
// hundred instructions ahead finds twice as many to begin where chains stand side by side.
func (s *isa) together(n int, body func(i int)) {
	if !s.beside {
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

// chains is how many groups of 16 elements registers suffice for side by side.
func (s *isa) chains() int {
	if s.wide && s.beside {
		return 2
	}
	return 1
}
