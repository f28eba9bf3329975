package cpu

import (
	"os"
	"regexp"
	"runtime"
)

var modelName = regexp.MustCompile(`(?m)^(?:model name|Model)\s*:\s*(.+)$`)

// Name returns what the system calls its processor.
func Name() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if m := modelName.FindSubmatch(b); err == nil && m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}
