package ops

import (
	"syscall"
	"time"
)

// patience is how long an idle worker looks for the next job before it sleeps. Woken, it may
// be put behind a thread that is busy, and come milliseconds late.
const patience = 2 * time.Millisecond

// yield lets another thread have the processor, if one waits for it. Without that two trainings
// with two workers each on two cores take a fifth longer.
func yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
