//go:build (amd64 || arm64) && !purego

package simd

import (
	"sync"
	"unsafe"
)

//go:generate go run -tags generate ./gen/vec -pkg simd -out vec_amd64.s
//go:generate go run -tags generate ./gen/vec -neon -pkg simd -out vec_arm64.s
//go:generate go run -tags generate ./gen/gemm -isa avx512 -pkg simd -out gemm_avx512_amd64.s -go gemm_avx512_amd64.go
//go:generate go run -tags generate ./gen/gemm -isa avx2 -pkg simd -out gemm_avx2_amd64.s -go gemm_avx2_amd64.go
//go:generate go run -tags generate ./gen/gemm -isa pack -pkg simd -out gemm_pack_amd64.s -stubs gemm_pack_amd64.go
//go:generate go run -tags generate ./gen/gemm -isa neon -pkg simd -out gemm_neon_arm64.s -go gemm_neon_arm64.go
//go:generate go run -tags generate ./gen/gemm -isa neon-pack -pkg simd -out gemm_pack_arm64.s -stubs gemm_pack_arm64.go

// The products are cut to keep the data that kernels read repeatedly in the
// caches: a panel of B and the rows of A for blockK steps in the first one,
// blockTiles tiles of A and C, over all of n, in the second. The sums are kept in C
// between the blocks of k. A transposed A is read in pieces of cache lines, so
// half as many steps fill the first cache.
const (
	blockK     = 256
	blockTiles = 8
	packCols   = 64 // columns of a transposed B that are packed at a time
)

const float32Size = 4 // bytes

type packBuffer [blockK * packCols]float32

var packBuffers = sync.Pool{New: func() any { return new(packBuffer) }}

// tiled covers C with tiles of vectors of 1<<shift lanes, cut as evenly as possible.
// The kernel itself goes down a column of tiles. widest holds the
// width of the widest tile by its rows.
func (p *product) tiled(l Level, shift int, widest []uint8) {
	g := grid{level: l, shift: shift}
	g.downs, g.short, g.tall = even(p.m, len(widest)-1)
	g.width = int(widest[g.short+min(g.tall, 1)])

	t := tile{aRow: float32Size * p.aRow, aCol: float32Size * p.aCol, bRow: float32Size * p.ldb, cRow: float32Size * p.ldc}
	if p.add {
		t.load = 1
	}
	a, b, c := unsafe.Pointer(&p.a[0]), unsafe.Pointer(&p.b[0]), unsafe.Pointer(&p.c[0])
	chunk := p.n
	var buf *packBuffer
	if p.transB {
		chunk = packCols
		t.bRow = float32Size * packCols
		buf = packBuffers.Get().(*packBuffer)
		b = unsafe.Pointer(buf)
	}
	block := blockK
	if p.aCol != 1 {
		block = blockK / 2
	}
	steps, step, longer := even(p.k, block)
	for k := 0; steps > 0; steps-- {
		t.k = step
		if longer > 0 {
			longer--
			t.k++
		}
		for j := 0; j < p.n; j += chunk {
			cols := min(chunk, p.n-j)
			t.a, t.b, t.c = unsafe.Add(a, t.aCol*k), b, unsafe.Add(c, float32Size*j)
			if p.transB {
				packTransposed(buf, p.b[j*p.ldb+k:], p.ldb, cols, t.k)
			} else {
				t.b = unsafe.Add(b, t.bRow*k)
			}
			g.cover(&t, cols)
		}
		k += t.k
		t.load = 1
	}
	if buf != nil {
		packBuffers.Put(buf)
	}
}

// grid is the division of C into tiles: downs of them one below the other. The
// first tall have one row more than short; each is at most width vectors wide.
type grid struct {
	level              Level
	shift              int
	downs, short, tall int
	width              int
}

// cover runs the kernels over all rows and cols columns, starting at t.
func (g *grid) cover(t *tile, cols int) {
	panels, narrow, wide := even((cols+1<<g.shift-1)>>g.shift, g.width)
	a, b, c := t.a, t.b, t.c
	for d := 0; d < g.downs; d += blockTiles {
		short := min(blockTiles, g.downs-d)
		tall := min(max(g.tall-d, 0), short)
		short -= tall
		i := d*g.short + min(d, g.tall)
		vecs, j := narrow+min(wide, 1), 0
		for panel := range panels {
			if panel == wide {
				vecs = narrow
			}
			t.tail = min(vecs<<g.shift, cols-j) - (vecs-1)<<g.shift
			t.b = unsafe.Add(b, float32Size*j)
			at := func(i int) {
				t.a, t.c = unsafe.Add(a, t.aRow*i), unsafe.Add(c, t.cRow*i+float32Size*j)
			}
			if tall > 0 {
				at(i)
				t.tiles = tall
				t.run(g.level, g.short+1, vecs)
			}
			if short > 0 { // the pointers must not lie beyond the last row
				at(i + tall*(g.short+1))
				t.tiles = short
				t.run(g.level, g.short, vecs)
			}
			j += vecs << g.shift
		}
	}
}

// even cuts n things into as few parts of at most limit as possible: the first more
// parts have one more than size, the others size.
func even(n, limit int) (parts, size, more int) {
	if n <= limit {
		return 1, n, 0
	}
	parts = (n + limit - 1) / limit
	size = n / parts
	return parts, size, n - size*parts
}

// packTransposed writes dst[k, packCols] = bᵀ for b [cols, k]. The columns beyond
// cols are left as they are: the kernels mask them.
func packTransposed(dst *packBuffer, b []float32, ldb, cols, k int) {
	k8, cols8 := k&^7, cols&^7
	if k8 == 0 {
		cols8 = 0
	}
	for j := 0; j < cols8; j += 8 {
		transpose8x8(&dst[j], float32Size*packCols, &b[j*ldb], float32Size*ldb, k8/8)
	}
	for j := range cols {
		from := 0
		if j < cols8 {
			from = k8
		}
		for q, x := range b[j*ldb:][:k][from:] {
			dst[(from+q)*packCols+j] = x
		}
	}
}

// blocks transposes in blocks of 8 × 8 in registers. The last one of a row or column
// overlaps the previous one and writes the same values again: element by element, the
// two remaining columns of a head of 10 would take longer than the eight.
func blocks(dst []float32, ldd int, src []float32, lds int, rows, cols int) {
	if level == Portable || rows < 8 || cols < 8 {
		transposeSlowly(dst, ldd, src, lds, rows, cols)
		return
	}
	for i := 0; i < rows; i += 8 {
		i = min(i, rows-8)
		transpose8x8(&dst[i], float32Size*ldd, &src[i*lds], float32Size*lds, cols/8)
		if cols%8 > 0 {
			j := cols - 8
			transpose8x8(&dst[j*ldd+i], float32Size*ldd, &src[i*lds+j], float32Size*lds, 1)
		}
	}
}
