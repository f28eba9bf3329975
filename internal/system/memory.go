// Package system reports the free memory of the machine and full disks, and bounds the garbage of
// this process.
package system

import (
	"bufio"
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
	if runtime.GOOS != "linux" {
		return 0, false
	}
	return freeIn(os.DirFS("/"))
}

// freeIn returns the free memory of a Linux system whose "/" is root.
func freeIn(root fs.FS) (int64, bool) {
	least, ok := available(root)
	for _, folder := range groups(root) {
		if n, limited := unused(root, folder); limited && (!ok || n < least) {
			least, ok = n, true
		}
	}
	return max(least, 0), ok
}

// available reads MemAvailable of /proc/meminfo: free pages and pages
// that the kernel can reclaim without writing.
func available(root fs.FS) (int64, bool) {
	kB, ok := field(root, "proc/meminfo", "MemAvailable:")
	return kB * 1024, ok
}

// field returns the number after the word that begins a line of a file.
func field(root fs.FS, name, word string) (int64, bool) {
	f, err := root.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		parts := strings.Fields(lines.Text())
		if len(parts) >= 2 && parts[0] == word {
			n, err := strconv.ParseInt(parts[1], 10, 64)
			return n, err == nil && n >= 0 && n < math.MaxInt64/1024
		}
	}
	return 0, false
}

// groups returns the folders of the control groups (version 2) of this process and of those above
// them: each may set a limit. A container sees its own group as the topmost one.
func groups(root fs.FS) (folders []string) {
	b, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		group, version2 := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for p := path.Clean("/" + group); version2; p = path.Dir(p) {
			folders = append(folders, path.Join("sys/fs/cgroup", p))
			if p == "/" {
				break
			}
		}
	}
	return folders
}

// unused returns the unused part of a group's limit. Reclaimable file pages count
// as free, as they do for the whole system.
func unused(root fs.FS, folder string) (int64, bool) {
	limit, limited := number(root, path.Join(folder, "memory.max"))
	usage, known := number(root, path.Join(folder, "memory.current"))
	cached, _ := field(root, path.Join(folder, "memory.stat"), "inactive_file")
	return limit - max(usage-cached, 0), limited && known
}

// number reads a file that holds one number; ok is false for "max".
func number(root fs.FS, name string) (int64, bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil && n >= 0
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

// noRoom are the errors of a full file system and of an exceeded quota; Windows has three of its own.
var noRoom = map[bool][]syscall.Errno{false: {syscall.ENOSPC, syscall.EDQUOT}, true: {39, 112, 1295}}

// DiskFull reports whether an error means a full file system or an exceeded quota.
func DiskFull(err error) bool {
	code, is := errors.AsType[syscall.Errno](err)
	return is && slices.Contains(noRoom[runtime.GOOS == "windows"], code)
}
