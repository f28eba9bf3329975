//go:build !linux && !darwin

package runs

import (
	"cmp"
	"os"
	"runtime"
)

// cpuName returns what the system calls its processor; Windows says so in the
// environment.
func cpuName() string {
	return cmp.Or(os.Getenv("PROCESSOR_IDENTIFIER"), runtime.GOARCH)
}
