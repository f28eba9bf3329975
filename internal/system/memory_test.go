package system

import (
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestFreeIn(t *testing.T) {
	const meminfo = "MemTotal:  24000000 kB\nMemFree:  100 kB\nMemAvailable:  1000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
		ok    bool
	}{
		{"nothing is known", nil, 0, false},
		{"the system alone", map[string]string{"proc/meminfo": meminfo}, 1000 * 1024, true},
		{"an old kernel", map[string]string{"proc/meminfo": "MemFree: 100 kB\n"}, 0, false},
		{"without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/job\n",
			"sys/fs/cgroup/user/job/memory.max": "max\n", "sys/fs/cgroup/user/job/memory.current": "5\n",
		}, 1000 * 1024, true},
		{"a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/job\n",
			"sys/fs/cgroup/user/job/memory.max": "5000\n", "sys/fs/cgroup/user/job/memory.current": "3000\n",
			"sys/fs/cgroup/user/job/memory.stat": "anon 1\ninactive_file 500\n",
		}, 2500, true},
		{"the group around it has the limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/job\n",
			"sys/fs/cgroup/user/memory.max": "4000\n", "sys/fs/cgroup/user/memory.current": "1000\n",
			"sys/fs/cgroup/user/job/memory.max": "max\n", "sys/fs/cgroup/user/job/memory.current": "500\n",
		}, 3000, true},
		{"within a container the group is the topmost folder", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../elsewhere\n",
			"sys/fs/cgroup/memory.max": "700\n", "sys/fs/cgroup/memory.current": "100\n",
		}, 600, true},
		{"over its limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "700\n", "sys/fs/cgroup/memory.current": "900\n",
		}, 0, true},
		{"files of something else", map[string]string{
			"proc/meminfo": "MemAvailable: lots kB\n", "proc/self/cgroup": "nonsense\n0::\n",
			"sys/fs/cgroup/memory.max": "-5\n",
		}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range c.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got, ok := freeIn(root)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, got)
		})
	}
}

func TestPercent(t *testing.T) {
	for objects, want := range map[uint64]int{0: 100, 1 << 20: 100, MaxGarbage: 100, 4 * MaxGarbage: 25, 1 << 40: 20} {
		require.Equal(t, want, percent(objects), objects)
	}
}

func TestDiskFull(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	require.Equal(t, runtime.GOOS != "windows", DiskFull(fmt.Errorf("run: %w", full)))
	require.False(t, DiskFull(&fs.PathError{Op: "write", Path: "f", Err: syscall.EROFS}))
	require.False(t, DiskFull(nil))
}
