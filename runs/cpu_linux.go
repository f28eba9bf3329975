package runs

import (
	"os"
	"regexp"
	"runtime"
)

var modelName = regexp.MustCompile(`(?m)^(?:model name|Model)\s*:\s*(.+)$`)

// cpuName returns the name of the processor.
func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if m := modelName.FindSubmatch(b); err == nil && m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}
