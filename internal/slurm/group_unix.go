//go:build !windows

package slurm

import "syscall"

// ownGroup keeps a command out of the terminal's process group: Ctrl-C must not end sbatch after
// it has submitted a job and before it has printed its ID.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
