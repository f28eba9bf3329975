package grid

import (
	"runtime"

	"github.com/spf13/cobra"
)

// Jobs say how a grid is spread over the machine.
type Jobs struct {
	N        int
	FailFast bool
	Given    bool // --workers was
}

// Register adds the flags.
func (to *Jobs) Register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&to.N, "jobs", 1, "runs of a grid at a time, as far as cores and memory go")
	cmd.Flags().BoolVar(&to.FailFast, "fail-fast", false, "stop the others when one run of a grid fails; they can go on later")
}

// Share returns how many runs go at a time, each on how many cores, so that
// together they take no more cores than there are. Without --workers the cores are
// shared out; with it, there are as many jobs as fit.
func (f Jobs) Share(cores, workers, plans int) (jobs, each int) {
	jobs = max(1, min(f.N, cores, plans))
	if !f.Given {
		return jobs, max(1, min(workers, cores/jobs))
	}
	return max(1, min(jobs, cores/workers)), workers
}

// Cores is how many this process may use: of a container, its share.
func Cores() int { return runtime.GOMAXPROCS(0) }
