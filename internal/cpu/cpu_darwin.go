package cpu

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Name returns what the system calls its processor.
func Name() string {
	if name, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		return name
	}
	return runtime.GOARCH
}
