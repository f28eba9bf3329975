//go:build !windows

package slurm_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/slurm"
)

// Files in the folder of a grid are not written through links, and a FIFO there blocks no one.
func TestGridFollowsNoLinks(t *testing.T) {
	grid, err := filepath.Rel("runs", slurm.Folder("runs", names))
	require.NoError(t, err)
	for _, level := range []string{".slurm", grid, filepath.Join(grid, "log")} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		link := filepath.Join(dir, level)
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o777))
		require.NoError(t, os.Symlink(elsewhere, link))
		_, err := slurm.Open(dir, names, words)
		require.ErrorContains(t, err, link+" is a symbolic link, not a folder")
		left, err := os.ReadDir(elsewhere)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	for what, put := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink(filepath.Join(t.TempDir(), "free"), path) },
		"FIFO":          func(path string) error { return syscall.Mkfifo(path, 0o666) },
	} {
		dir := t.TempDir()
		g := open(t, dir)
		path := filepath.Join(g.Dir, "job.sh")
		require.NoError(t, put(path))
		require.NoError(t, g.WriteScript([]byte("#!/bin/bash\n")), what) // replaces it
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular())
	}
}
