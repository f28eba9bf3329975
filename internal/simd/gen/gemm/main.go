//go:build generate

// Command gemm generates the assembly of internal/simd's matrix products. Each
// instruction set has one family of kernels, with one kernel for every shape of
// tile (rows × vectors) that fits its registers; internal/simd/level_amd64.go
// chooses among them. The go:generate lines there show how to call it.
package main

import (
	"flag"
	"log"
	"os"

	. "github.com/mmcloughlin/avo/build"

	"imdbexp/internal/simd/gen/neon"
)

// The most vectors per row that leave registers for the operands, by rows of
// the tile: accumulators + min(rows, vectors) + 1 ≤ the 32 (or 16) registers,
// one less for AVX2, whose mask takes a register too.
var (
	mostAVX512 = [...]int{1: 13, 2: 13, 3: 8, 4: 6, 5: 5, 6: 4, 7: 3, 8: 3, 9: 2, 10: 2, 11: 2, 12: 2}
	mostAVX2   = [...]int{1: 12, 2: 6, 3: 3, 4: 2, 5: 2, 6: 2}
)

// firstFull is the first number of rows that also has an unmasked kernel.
const firstFull = 7

// set is the kernels of one output file.
type set struct {
	arch     string
	write    func()
	table    string // the name of the vectors by rows in Go
	families []family
}

var sets = map[string]set{
	"avx512": {"amd64", func() {
		eachShape(mostAVX512[:], func(rows, vecs int) {
			tileAVX512(rows, vecs, true)
			if rows >= firstFull && vecs == mostAVX512[rows] {
				tileAVX512(rows, 2, false)
			}
		})
	}, "most512", []family{{"gemm512", mostAVX512[:], firstFull}}},
	"avx2": {"amd64", func() { eachShape(mostAVX2[:], tileAVX2) }, "most256", []family{{"gemm256", mostAVX2[:], 0}}},
	"pack": {"amd64", func() {
		transpose8()
		fmaVectors(YMM, 1)
	}, "", nil},
	"neon": {"arm64", func() {
		eachShape(mostNEON[:], func(rows, vecs int) {
			tileNEON(rows, vecs, false)
			tileNEON(rows, vecs, true)
		})
	}, "mostNEON", []family{{"gemmNEON", mostNEON[:], 0}, {"gemmNEONT", mostNEON[:], 0}}},
	"neon-pack": {"arm64", func() {
		transpose8NEON()
		fmaVectors(XMM, 2)
	}, "", nil},
}

// eachShape calls f for every shape of a tile.
func eachShape(maxVecs []int, f func(rows, vecs int)) {
	for rows, n := range maxVecs {
		for vecs := 1; vecs <= n; vecs++ {
			f(rows, vecs)
		}
	}
}

func main() {
	isa := flag.String("isa", "", "the kernels to write: avx512, avx2, pack, neon or neon-pack")
	declarations := flag.String("go", "", "`file` for the Go declarations of kernels of tiles")
	// The package is loaded for its types alone, without assembly, and before
	// the flags are parsed, which empties the output files.
	if err := os.Setenv("GOFLAGS", "-tags=purego"); err != nil {
		log.Fatal(err)
	}
	Package("imdbexp/internal/simd")
	flag.Parse()
	s, ok := sets[*isa]
	if !ok {
		log.Fatalf("unknown -isa %q: use avx512, avx2, pack, neon or neon-pack", *isa)
	}
	ConstraintExpr(s.arch + ",!purego")
	s.write()
	file := func(name string) string { return flag.Lookup(name).Value.String() }
	var err error
	if s.arch == "arm64" {
		err = neon.Generate(file("out"), file("stubs"), "simd", "gen/gemm -isa "+*isa)
	} else {
		Generate()
	}
	if err == nil && s.table != "" {
		err = finish(s, file("out"), *declarations)
	}
	if err != nil {
		log.Fatal(err)
	}
}
