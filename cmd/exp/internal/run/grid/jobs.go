package main

import (
	"runtime"

	"github.com/spf13/cobra"
)

// jobFlags say how a grid is spread over the machine.
type jobFlags struct {
	jobs     int
	failFast bool
	given    bool // --workers was
}

func addJobFlags(cmd *cobra.Command, to *jobFlags) {
	cmd.Flags().IntVar(&to.jobs, "jobs", 1, "runs of a grid at a time, as far as cores and memory go")
	cmd.Flags().BoolVar(&to.failFast, "fail-fast", false, "stop the others when one run of a grid fails; they can go on later")
}

// share returns how many runs go at a time, each on how many cores, so that
// together they take no more cores than there are. Without --workers the cores are
// shared out; with it, there are as many jobs as fit.
func (f jobFlags) share(cores, workers, plans int) (jobs, each int) {
	jobs = max(1, min(f.jobs, cores, plans))
	if !f.given {
		return jobs, max(1, min(workers, cores/jobs))
	}
	return max(1, min(jobs, cores/workers)), workers
}

// cores is how many this process may use: of a container, its share.
func cores() int { return runtime.GOMAXPROCS(0) }
