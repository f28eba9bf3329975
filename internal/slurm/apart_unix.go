//go:build !windows

package slurm

import "syscall"

// apart keeps a command out of the terminal's process group, so that Ctrl-C does
// not end it in the middle: a job would be submitted that nobody wrote down.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
