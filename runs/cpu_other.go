//go:build !linux && !darwin

package runs

import (
	"cmp"
	"os"
	"runtime"
)

// cpuName returns the name of the processor, which Windows has in the
// environment.
func cpuName() string {
	return cmp.Or(os.Getenv("PROCESSOR_IDENTIFIER"), runtime.GOARCH)
}
