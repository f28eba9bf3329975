package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Client calls Slurm's commands.
type Client struct {
	// Run runs a command and returns its standard output; nil runs the real command. Tests
	// replace it.
	Run func(ctx context.Context, name string, args ...string) (string, error)
}

// commandLimit is the time that a command may take: a busy controller answers late.
const commandLimit = time.Minute

func (c *Client) run(ctx context.Context, name string, args ...string) (string, error) {
	if c.Run != nil {
		return c.Run(ctx, name, args...)
	}
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	var out, errOut bytes.Buffer
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("%s is not installed on this machine: use --on slurm where you would use sbatch", name)
	}
	// Ctrl-C must not end sbatch after it has submitted a job and before it has printed its ID.
	cmd := exec.CommandContext(limited, "sh", append([]string{"-c", `trap "" INT; exec "$0" "$@"`, name}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %s", name, commandLimit)
	case err != nil && errOut.Len() > 0:
		return "", fmt.Errorf("%s: %s", name, strings.Join(strings.Fields(errOut.String()), " "))
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// submit submits tasks 0 to tasks−1 of a script as one array and returns its job ID. atOnce limits how
// many run at a time; 0 means no limit. script is the script and its arguments.
func (c *Client) submit(ctx context.Context, name string, tasks, atOnce int, script ...string) (string, error) {
	array := fmt.Sprintf("0-%d", tasks-1)
	if atOnce > 0 {
		array += fmt.Sprintf("%%%d", atOnce)
	}
	// Cancelling sbatch could lose the ID of a job that is already submitted.
	args := append([]string{"--parsable", "--array=" + array, "--job-name=" + name}, script...)
	out, err := c.run(context.WithoutCancel(ctx), "sbatch", args...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // ID;CLUSTER in a federation
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch: cannot read the job ID in %.200q", out)
	}
	return id, nil
}

// queueFormat are the fields of an Entry for squeue.
const queueFormat = "%F|%K|%T|%N|%j"

// queue returns the tasks of all arrays with the names: waiting and running tasks, and tasks that ended
// a few minutes ago.
func (c *Client) queue(ctx context.Context, names []string) ([]Entry, error) {
	out, err := c.run(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	return ParseQueue(out)
}

// ParseQueue reads the output of squeue in queueFormat.
func ParseQueue(out string) ([]Entry, error) {
	const fields = 5
	var list []Entry
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		f := strings.Split(line, "|")
		if line == "" {
			continue
		}
		if len(f) != fields {
			return nil, fmt.Errorf("squeue: cannot read line %q", line)
		}
		index, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("squeue: line %q: %q is not the index of a task", line, f[1])
		}
		list = append(list, Entry{Job: f[0], Index: index, State: f[2], Nodes: f[3], Array: f[4], Exit: -1})
	}
	return list, nil
}

var exitCode = regexp.MustCompile(`\bExitCode=(\d+):0`)

// exit fills in the exit code of a task that has failed and was not ended by a signal. The controller
// knows it for some minutes.
func (c *Client) exit(ctx context.Context, e *Entry) {
	out, err := c.run(ctx, "scontrol", "--oneliner", "show", "job", e.ID())
	if m := exitCode.FindStringSubmatch(out); err == nil && m != nil {
		e.Exit, _ = strconv.Atoi(m[1])
	}
}
