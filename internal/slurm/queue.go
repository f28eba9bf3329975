package slurm

import (
	"fmt"
	"strings"
)

// Entry is one task as squeue lists it: one that waits or runs, or that ended a few
// minutes ago.
type Entry struct {
	Job     string // ID of the array
	Task    int
	State   State
	Reason  string // why it waits: Resources, Priority, BeginTime, …
	Elapsed string // such as 1:02:03
	Nodes   string
}

// queueFormat is what squeue is asked for: the fields of an Entry.
const queueFormat = "%F|%K|%T|%r|%M|%N"

// ParseQueue reads squeue's lines in queueFormat. Lines of jobs that are no tasks of
// an array are passed over; anything else is an error.
func ParseQueue(out string) ([]Entry, error) {
	lines, err := table("squeue", out, strings.Count(queueFormat, "|")+1)
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, f := range lines {
		if f[1] == "N/A" {
			continue
		}
		tasks, err := ParseIndices(f[1]) // one, but for squeues that do not expand arrays
		if err != nil {
			return nil, fmt.Errorf("squeue: line %q: %w", strings.Join(f, "|"), err)
		}
		for _, t := range tasks {
			list = append(list, Entry{Job: f[0], Task: t, State: parseState(f[2]), Reason: f[3], Elapsed: f[4], Nodes: f[5]})
		}
	}
	return list, nil
}

// table reads lines of so many columns with bars between them, as a program of
// Slurm's prints them.
func table(program, out string, columns int) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != columns {
			return nil, fmt.Errorf("%s: cannot read line %q", program, line)
		}
		rows = append(rows, f)
	}
	return rows, nil
}

// Waits reports whether the task is in the queue and has no node yet.
func (e Entry) Waits() bool { return e.State.waits() }
