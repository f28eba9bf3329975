package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"imdbexp/internal/slurm"
)

// fake is a Slurm in memory.
type fake struct {
	next  int
	queue string            // output of squeue
	jobs  map[string]string // output of scontrol show job, by JOB_TASK
	down  bool              // the controller does not answer
	calls []string
}

func (f *fake) client() *slurm.Client { return &slurm.Client{Run: f.run} }

func (f *fake) run(_ context.Context, name string, args ...string) (string, error) {
	f.calls = append(f.calls, name+" "+strings.Join(args, " "))
	if f.down {
		return "", errors.New(name + ": Unable to contact slurm controller")
	}
	switch name {
	case "sbatch":
		f.next++
		return fmt.Sprintf("%d;cluster\n", 100+f.next), nil
	case "squeue":
		return f.queue, nil
	case "scontrol":
		if out, ok := f.jobs[args[len(args)-1]]; ok {
			return out, nil
		}
		return "", errors.New("scontrol: slurm_load_jobs error: Invalid job id specified")
	}
	return "", errors.New("unknown command " + name)
}

// submissions returns the arrays that were submitted.
func (f *fake) submissions() []string {
	var out []string
	for _, c := range f.calls {
		if rest, ok := strings.CutPrefix(c, "sbatch --parsable --array="); ok {
			array, _, _ := strings.Cut(rest, " ")
			out = append(out, array)
		}
	}
	return out
}
