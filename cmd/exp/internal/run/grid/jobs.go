package grid

import (
	"runtime"

	"github.com/spf13/cobra"
)

// Jobs decides how a grid shares the machine.
type Jobs struct {
	N     int
	Given bool // --workers was given
}

// Register adds the flags.
func (to *Jobs) Register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&to.N, "jobs", 1, "runs of a grid at a time, limited by cores and memory")
}

// Share returns the number of runs at a time and the cores of each, which together are at most the
// cores of the machine. Without --workers the cores are divided; with it, as many runs as fit.
func (f Jobs) Share(cores, workers, plans int) (jobs, each int) {
	jobs = max(1, min(f.N, cores, plans))
	if !f.Given {
		return jobs, max(1, min(workers, cores/jobs))
	}
	return max(1, min(jobs, cores/workers)), workers
}

// Cores returns the number of cores that this process may use.
func Cores() int { return runtime.GOMAXPROCS(0) }
