package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Client calls Slurm's commands.
type Client struct {
	// Run runs a command and returns its standard output; nil runs real ones. Tests
	// put their own here.
	Run func(ctx context.Context, name string, args ...string) (string, error)
}

// patience is how long a command may take: a busy controller answers late.
const patience = time.Minute

// ErrNoSlurm is returned where Slurm's commands are not installed.
var ErrNoSlurm = errors.New("sbatch is not on this machine's path: use --on slurm where you would use sbatch")

func (c *Client) run(ctx context.Context, name string, args ...string) (string, error) {
	if c.Run != nil {
		return c.Run(ctx, name, args...)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(limited, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.SysProcAttr = apart() // Ctrl-C is for the follower
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrNoSlurm
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %s", name, patience)
	case err != nil:
		return out.String(), fmt.Errorf("%s: %s", name, said(errOut.String(), err))
	}
	return out.String(), nil
}

// said returns what a command complained of, in one line.
func said(text string, err error) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "; ")
}

var jobID = regexp.MustCompile(`^\d+$`)

// Submit submits the tasks with the script and returns the ID of their array. atOnce
// bounds how many run at a time; 0 does not.
func (c *Client) Submit(ctx context.Context, script string, tasks []int, atOnce int) (string, error) {
	array := FormatIndices(tasks)
	if atOnce > 0 {
		array += "%" + itoa(atOnce)
	}
	// Not to be broken off: a job would be submitted that nobody wrote down.
	out, err := c.run(context.WithoutCancel(ctx), "sbatch", "--parsable", "--array="+array, script)
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job array specification") {
			err = fmt.Errorf("%w (this Slurm's MaxArraySize is smaller: run the grid in parts)", err)
		}
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // ID;CLUSTER in a federation
	if !jobID.MatchString(id) {
		return "", fmt.Errorf("sbatch: cannot read the job's ID in %.200q", out)
	}
	return id, nil
}

// Queue returns the tasks of all arrays of that name: those that wait or run, and
// those that ended a few minutes ago.
func (c *Client) Queue(ctx context.Context, name string) ([]Entry, error) {
	out, err := c.run(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+name, "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	return ParseQueue(out)
}

// Ends returns how the tasks ended, as far as the controller or accounting knows;
// tasks that neither knows of, or that have not ended, are left out.
func (c *Client) Ends(ctx context.Context, tasks []Task) map[Task]End {
	ends := map[Task]End{}
	take := func(all map[Task]End) {
		for _, t := range tasks {
			if e, ok := all[t]; ok {
				ends[t] = e
			}
		}
	}
	for _, job := range jobs(tasks) {
		// The controller forgets a job within minutes: that is no error.
		if out, err := c.run(ctx, "scontrol", "--oneliner", "show", "job", job); err == nil {
			if all, err := ParseJobs(out); err == nil {
				take(all)
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { _, known := ends[t]; return known })
	if len(rest) == 0 {
		return ends
	}
	// Without accounting sacct fails, as it does on many small clusters.
	if out, err := c.run(ctx, "sacct", "--allocations", "--parsable2", "--noheader",
		"--jobs="+strings.Join(jobs(rest), ","), "--format="+accountFields); err == nil {
		if all, err := ParseAccounts(out); err == nil {
			tasks = rest
			take(all)
		}
	}
	return ends
}

// jobs returns the arrays that the tasks are of.
func jobs(tasks []Task) []string {
	var out []string
	for _, t := range tasks {
		if !slices.Contains(out, t.Job) {
			out = append(out, t.Job)
		}
	}
	return out
}
