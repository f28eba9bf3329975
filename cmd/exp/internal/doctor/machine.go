package doctor

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
	"imdbexp/internal/system"
)

// cpu reports the cores and the vector instructions.
func (d *doctor) cpu() {
	text := fmt.Sprintf("%s kernels (of %s), %d workers on %d cores", simd.Current(), strings.Join(cli.Levels(), ", "), d.Workers, runtime.NumCPU())
	switch {
	case d.Workers > runtime.NumCPU():
		d.tell(doubtful, "CPU", text+fmt.Sprintf(": more workers than cores gain nothing: --workers %d", runtime.NumCPU()))
	case runtime.GOARCH == "amd64" && simd.Best() == simd.Portable:
		d.tell(doubtful, "CPU", text+": without AVX2 and FMA (or built with the tag purego) training is about thirty times slower")
	default:
		d.tell(good, "CPU", text)
	}
}

// kernels runs the self-test.
func (d *doctor) kernels() {
	start, long := time.Now(), 300*time.Millisecond
	if d.quick {
		long = 0
	}
	n, err := selftest.Run(long)
	seconds := format.Clock(time.Since(start).Seconds())
	if err == nil {
		d.tell(good, "kernels", fmt.Sprintf("%d kernels, %s cases in %s: the same bits at every level (%s), equal to the recorded ones",
			len(selftest.Kernels), format.Thousands(n), seconds, strings.Join(cli.Levels(), ", ")))
		return
	}
	advice := "do not trust any number of this machine"
	if at, found := errors.AsType[*selftest.Difference](err); found {
		all := simd.Levels()
		advice = fmt.Sprintf("use --simd %s on this machine, and train its runs again", all[max(slices.Index(all, at.Level)-1, 0)])
	}
	d.tell(wrong, "kernels", fmt.Sprintf("%v: %s; please report it with the lines above", err, advice))
}

// memoryForIMDB is the memory for a run on IMDB: see docs/performance.md.
const memoryForIMDB = 1 << 30

func (d *doctor) memory() {
	n, known := system.FreeMemory()
	text := format.Bytes(n) + " free"
	switch {
	case !known:
		d.tell(good, "memory", "the free memory is unknown; a run on IMDB needs up to 0.8 GB")
	case n < memoryForIMDB:
		d.tell(doubtful, "memory", text+" in the system or its control group: a run on IMDB needs up to 0.8 GB; runs on the sample need less")
	default:
		d.tell(good, "memory", text)
	}
}
