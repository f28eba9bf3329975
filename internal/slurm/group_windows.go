package slurm

import "syscall"

// ownGroup keeps a command out of the process group of the console.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
