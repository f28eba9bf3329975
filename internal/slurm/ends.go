package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseJobs reads the lines of scontrol -o show job: how the tasks of arrays ended.
// It lists a job for some minutes after its end (MinJobAge). Tasks that wait or run,
// and jobs that are no tasks, are left out.
func ParseJobs(out string) (map[Task]End, error) {
	ends := map[Task]End{}
	for line := range strings.Lines(out) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := map[string]string{}
		for word := range strings.FieldsSeq(line) {
			if key, value, ok := strings.Cut(word, "="); ok && fields[key] == "" {
				fields[key] = value
			}
		}
		state := parseState(fields["JobState"])
		if fields["JobId"] == "" || state == "" {
			return nil, fmt.Errorf("scontrol: cannot read the job in %.200q", line)
		}
		if fields["ArrayJobId"] == "" || !state.Ended() {
			continue
		}
		e := End{Job: fields["ArrayJobId"], State: state, Reason: fields["Reason"]}
		if e.Reason == "None" {
			e.Reason = ""
		}
		e.Exit, e.Signal = exitCode(fields["ExitCode"])
		indices, err := ParseIndices(fields["ArrayTaskId"]) // several where they were cancelled together
		if err != nil {
			return nil, fmt.Errorf("scontrol: %w", err)
		}
		for _, i := range indices {
			ends[Task{e.Job, i}] = e
		}
	}
	return ends, nil
}

// accountFields are the fields that sacct is asked for.
const accountFields = "JobID,State,ExitCode"

// ParseAccounts reads sacct -X -P -n -o JobID,State,ExitCode: how the tasks of
// arrays ended. Of a task that is listed several times the last one counts; those
// that wait or run are left out.
func ParseAccounts(out string) (map[Task]End, error) {
	ends := map[Task]End{}
	lines, err := table("sacct", out, strings.Count(accountFields, ",")+1)
	if err != nil {
		return nil, err
	}
	for _, f := range lines {
		job, text, array := strings.Cut(f[0], "_")
		indices, err := ParseIndices(text) // several where they never began: 123_[4-7]
		if !array || err != nil {          // so many that sacct cuts them short: 123_[4-...]
			continue
		}
		e := End{Job: job, State: parseState(f[1])}
		e.Exit, e.Signal = exitCode(f[2])
		for _, i := range indices {
			delete(ends, Task{job, i})
			if e.State.Ended() {
				ends[Task{job, i}] = e
			}
		}
	}
	return ends, nil
}

// Task names a task of an array.
type Task struct {
	Job   string
	Index int
}

func (t Task) String() string { return t.Job + "_" + itoa(t.Index) }

// exitCode reads CODE:SIGNAL.
func exitCode(text string) (code, signal int) {
	c, s, _ := strings.Cut(text, ":")
	code, err := strconv.Atoi(c)
	if err != nil {
		return -1, 0
	}
	signal, _ = strconv.Atoi(s)
	return code, signal
}
