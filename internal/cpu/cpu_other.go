//go:build !linux && !darwin

package cpu

import (
	"cmp"
	"os"
	"runtime"
)

// Name returns what the system calls its processor; Windows says so in the
// environment.
func Name() string {
	return cmp.Or(os.Getenv("PROCESSOR_IDENTIFIER"), runtime.GOARCH)
}
