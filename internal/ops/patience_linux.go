package ops

import (
	"syscall"
	"time"
)

// spinTime is how long an idle worker polls for the next job before it sleeps. A woken thread
// may have to wait behind a busy one and start milliseconds late.
const spinTime = 2 * time.Millisecond

// yield gives the processor to a waiting thread, if there is one. Without it two trainings
// with two workers each on two cores take a fifth longer.
func yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
