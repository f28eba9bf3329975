// Package inmemory is for tests that make many run folders and none of whose promises a
// disk must keep: where the system has a folder in memory, t.TempDir lies there, and syncing
// costs nothing. It is enough to import it.
package inmemory

import "os"

func init() {
	const memory = "/dev/shm"
	if os.Getenv("TMPDIR") != "" { // somebody has chosen
		return
	}
	if probe, err := os.MkdirTemp(memory, "probe"); err == nil {
		_ = os.Remove(probe)
		_ = os.Setenv("TMPDIR", memory)
	}
}
