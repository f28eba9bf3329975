package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/memory"
	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
	"imdbexp/runs"
)

// program tells the versions that a run records.
func (d *doctor) program() {
	e := runs.NewEnvironment(simd.Current().String(), d.Workers, nil)
	text := fmt.Sprintf("imdbexp %s, result version %d, %s", cmp.Or(e.Version, "(devel)"), runs.ResultVersion, e.Go)
	for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
		text += fmt.Sprintf(", %s %s", name, e.Modules[name])
	}
	switch {
	case e.Revision == "":
		text += "; runs record no revision, for it was built outside a checkout or with -buildvcs=false"
	case strings.HasSuffix(e.Revision, "+"):
		d.tell(doubtful, "program", text+fmt.Sprintf("; revision %.12s with changes: commit them and build again, so that runs can be traced", e.Revision))
		return
	default:
		text += fmt.Sprintf("; revision %.12s", e.Revision)
	}
	d.tell(good, "program", text)
}

// cpu tells which kernels there are and on how many cores.
func (d *doctor) cpu() {
	e := runs.NewEnvironment("", 0, nil)
	text := fmt.Sprintf("%s, %s/%s: %s kernels (of %s), %d workers on %d cores", e.CPU, e.OS, e.Arch,
		simd.Current(), strings.Join(cli.Levels(), ", "), d.Workers, runtime.NumCPU())
	switch {
	case d.Workers > runtime.NumCPU():
		d.tell(doubtful, "CPU", text+fmt.Sprintf(": more of them gain nothing: --workers %d", runtime.NumCPU()))
	case e.Arch == "amd64" && simd.Best() == simd.Portable:
		d.tell(doubtful, "CPU", text+": without AVX2 and FMA (or built with the tag purego) training takes some thirty times as long")
	default:
		d.tell(good, "CPU", text)
	}
}

// kernels runs the self-test.
func (d *doctor) kernels() {
	start, long := time.Now(), time.Second
	if d.quick {
		long = 0
	}
	n, err := selftest.Run(long)
	seconds := format.Clock(time.Since(start).Seconds())
	if err == nil {
		d.tell(good, "kernels", fmt.Sprintf("%d kernels, %s cases in %s: the same bits at every level (%s), and those that they were written with",
			len(selftest.Kernels), format.Thousands(n), seconds, strings.Join(cli.Levels(), ", ")))
		return
	}
	advice := "no number made on this machine can be trusted"
	if at, found := errors.AsType[*selftest.Difference](err); found {
		all := simd.Levels()
		advice = fmt.Sprintf("use --simd %s on this machine, and make runs of it again", all[max(slices.Index(all, at.Level)-1, 0)])
	}
	d.tell(wrong, "kernels", fmt.Sprintf("%v: %s; please report it with the lines above", err, advice))
}

// enough memory for a run on IMDB, and for anything: see docs/performance.md.
const (
	memoryForIMDB   = 1 << 30
	memoryForSample = 128 << 20
)

func (d *doctor) memory() {
	n, known := memory.Free()
	text := format.Bytes(n) + " free"
	switch {
	case !known:
		d.tell(good, "memory", "the system does not tell how much is free; a run on IMDB wants up to 0.8 GB")
	case n < memoryForSample:
		d.tell(wrong, "memory", text+" in the system or its control group: close other programs or raise the limit")
	case n < memoryForIMDB:
		d.tell(doubtful, "memory", text+" in the system or its control group: a run on IMDB wants up to 0.8 GB; the sample will do")
	default:
		d.tell(good, "memory", text)
	}
}
