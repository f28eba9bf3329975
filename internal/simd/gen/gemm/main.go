//go:build generate

// Command gemm generates the assembly of internal/simd's matrix products. Each
// instruction set has one family of kernels, with one kernel for every shape of
// tile (rows × vectors) that fits its registers; internal/simd/gemm_amd64.go
// chooses among them. The go:generate lines there show how to call it.
package main

import (
	"flag"
	"log"
	"os"
	"strings"

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
	if strings.HasPrefix(*isa, "neon") {
		ConstraintExpr("arm64,!purego")
	} else {
		ConstraintExpr("amd64,!purego")
	}
	switch *isa {
	case "avx512":
		for rows, most := range mostAVX512 {
			for vecs := 1; vecs <= most; vecs++ {
				tileAVX512(rows, vecs, true)
			}
			if rows >= firstFull {
				tileAVX512(rows, 2, false)
			}
		}
	case "avx2":
		for rows, most := range mostAVX2 {
			for vecs := 1; vecs <= most; vecs++ {
				tileAVX2(rows, vecs)
			}
		}
	case "pack":
		transpose8()
		fmaVectors(YMM, 1)
	case "neon":
		for rows, most := range mostNEON {
			for vecs := 1; vecs <= most; vecs++ {
				tileNEON(rows, vecs, false)
				tileNEON(rows, vecs, true)
			}
		}
	case "neon-pack":
		transpose8NEON()
		fmaVectors(XMM, 2)
	default:
		log.Fatalf("unknown -isa %q: use avx512, avx2, pack, neon or neon-pack", *isa)
	}
	file := func(name string) string { return flag.Lookup(name).Value.String() }
	var err error
	if strings.HasPrefix(*isa, "neon") {
		err = neon.Generate(file("out"), file("stubs"), "simd", "gen/gemm -isa "+*isa)
	} else {
		Generate()
	}
	switch {
	case err != nil:
	case *isa == "avx512":
		err = finish("amd64", file("out"), *declarations, "most512", family{"gemm512", mostAVX512[:], firstFull})
	case *isa == "avx2":
		err = finish("amd64", file("out"), *declarations, "most256", family{"gemm256", mostAVX2[:], 0})
	case *isa == "neon":
		err = finish("arm64", file("out"), *declarations, "mostNEON", family{"gemmNEON", mostNEON[:], 0}, family{"gemmNEONT", mostNEON[:], 0})
	}
	if err != nil {
		log.Fatal(err)
	}
}
