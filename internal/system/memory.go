// Package system reports the free memory of the machine and full disks, and bounds the garbage of
// this process.
package system

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// FreeMemory returns how many bytes can be allocated without swapping or being killed:
// the system's available memory, or less if a control group (a container, a
// batch job) sets a limit. ok is false if the system does not report it.
func FreeMemory() (bytes int64, ok bool) {
	return freeIn(os.DirFS("/"))
}

// freeIn returns the free memory of a Linux system whose "/" is root: MemAvailable of /proc/meminfo
// (free pages and pages that the kernel can reclaim without writing), or the unused part of the limit
// of a control group (version 2), the process's own or one above it. Reclaimable file pages count as
// free there, too. A container sees its own group as the topmost one.
func freeIn(root fs.FS) (int64, bool) {
	kB, ok := number(root, "proc/meminfo", "MemAvailable:")
	free := kB * 1024
	b, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		group, version2 := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for p := path.Clean("/" + group); version2; p = path.Dir(p) {
			folder := path.Join("sys/fs/cgroup", p)
			limit, limited := number(root, path.Join(folder, "memory.max"), "")
			usage, known := number(root, path.Join(folder, "memory.current"), "")
			cached, _ := number(root, path.Join(folder, "memory.stat"), "inactive_file ")
			if n := limit - max(usage-cached, 0); limited && known && (!ok || n < free) {
				free, ok = n, true
			}
			version2 = p != "/"
		}
	}
	return max(free, 0), ok
}

// number returns the number after a prefix of a line of a file; ok is false for none, such as "max".
func number(root fs.FS, name, prefix string) (n int64, ok bool) {
	b, _ := fs.ReadFile(root, name)
	for line := range strings.Lines(string(b)) {
		text, is := strings.CutPrefix(line, prefix)
		if words := strings.Fields(text); is && len(words) > 0 {
			n, err := strconv.ParseInt(words[0], 10, 64)
			return n, err == nil && n >= 0 && n < math.MaxInt64/1024
		}
	}
	return 0, false
}

// MaxGarbage is about how many bytes of garbage BoundGarbage allows.
const MaxGarbage = 192 << 20

// BoundGarbage bounds the garbage after large data has been loaded that stays in memory. By
// default garbage is collected only when it takes as much memory as all that is kept. It does
// nothing if the user has set $GOGC.
func BoundGarbage() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
}

// percent returns the garbage allowed as a percentage of the objects on the heap. Below 20 it
// would cost more time than the memory is worth.
func percent(objects uint64) int {
	return int(min(max(100*MaxGarbage/max(1, objects), 20), 100))
}

// noRoom are the errors of a full file system and of an exceeded quota; true is for Windows.
var noRoom = map[bool][]syscall.Errno{false: {syscall.ENOSPC, syscall.EDQUOT}, true: {39, 112, 1295}}

// DiskFull reports whether an error means a full file system or an exceeded quota.
func DiskFull(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom[runtime.GOOS == "windows"], code)
}
