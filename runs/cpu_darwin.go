package runs

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// cpuName returns the name of the processor.
func cpuName() string {
	if name, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		return name
	}
	return runtime.GOARCH
}
