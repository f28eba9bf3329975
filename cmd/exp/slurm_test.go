package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
	"imdbexp/internal/testkit/must"
)

var (
	gridNames = []string{"a/1", "a/2", "b/3", "b/4", "b/5"}
	gridWords = []string{"a seed=1", "a seed=2", "b", "b lr=0.1", "b lr=1"}
)

func openGrid(t *testing.T, dir string, f *fakeSlurm) *slurm.Grid {
	g := must.Get(slurm.Open(dir, gridNames, gridWords))(t)
	g.Command = f.run
	return g
}

// queued returns lines of squeue, such as "101 0 RUNNING n1", of the n-th submission of a grid.
func queued(g *slurm.Grid, n int, lines ...string) string {
	out := ""
	for _, l := range lines {
		out += fmt.Sprintf("%s|exp-%s-%d\n", strings.ReplaceAll(l, " ", "|"), filepath.Base(g.Dir), n)
	}
	return out
}

// tasksOf asks about the tasks, with the exit codes of failed ones, and leaves the names of the arrays out.
func tasksOf(t *testing.T, g *slurm.Grid) map[int]slurm.Entry {
	t.Helper()
	found := map[int]slurm.Entry{}
	for i, e := range must.Get(g.Status(t.Context()))(t) {
		g.Exit(t.Context(), e)
		e.Array = ""
		found[i] = *e
	}
	return found
}

func TestGrid(t *testing.T) {
	dir, f := t.TempDir(), &fakeSlurm{}
	g := openGrid(t, dir, f)
	assert.Empty(t, tasksOf(t, g), "never submitted")
	assert.Empty(t, f.calls)

	// The tasks of an array are numbered from 0, whichever runs they are.
	job, submitted := must.Get2(g.Submit(t.Context(), []int{1, 2, 3, 4}, 2))(t)
	assert.Equal(t, "101", job)
	assert.Equal(t, []int{1, 2, 3, 4}, submitted)
	assert.Equal(t, []string{"0-3%2"}, f.submissions())
	b := must.Get(os.ReadFile(filepath.Join(g.Dir, "tasks-1.txt")))(t)
	assert.Equal(t, "a/2\ta seed=2\nb/3\tb\nb/4\tb lr=0.1\nb/5\tb lr=1\n", string(b))

	// How tasks ended comes from squeue, exit codes from scontrol.
	f.queue = queued(g, 1, "101 0 RUNNING n1", "101 1 FAILED n1", "101 2 FAILED n1", "101 3 CANCELLED n1")
	f.jobs = map[string]string{"101_1": "JobId=105 ArrayJobId=101 ArrayTaskId=1 JobState=FAILED ExitCode=130:0", "101_2": "ExitCode=3:9"}
	assert.Equal(t, map[int]slurm.Entry{
		1: {Job: "101", State: "RUNNING", Nodes: "n1", Exit: -1},
		2: {Job: "101", Index: 1, State: "FAILED", Nodes: "n1", Exit: 130},
		3: {Job: "101", Index: 2, State: "FAILED", Nodes: "n1", Exit: -1},
		4: {Job: "101", Index: 3, State: slurm.Cancelled, Nodes: "n1", Exit: -1},
	}, tasksOf(t, g))

	// Another process finds the same grid and submits only the tasks that are not in the queue.
	g = openGrid(t, dir, f)
	tasksOf(t, g)
	job, submitted = must.Get2(g.Submit(t.Context(), []int{0, 1, 3}, 0))(t)
	assert.Equal(t, "102", job)
	assert.Equal(t, []int{0, 3}, submitted)
	assert.Equal(t, []string{"0-3%2", "0-1"}, f.submissions())

	// Slurm forgets how a task ended.
	f.queue = ""
	e := tasksOf(t, g)[3]
	assert.Equal(t, slurm.Entry{Job: "102", Index: 1, State: slurm.Unknown, Exit: -1}, e)
	assert.Equal(t, filepath.Join(g.Dir, "log", "102_1.log"), g.Log(&e))
}

// A process that dies right after sbatch does not make tasks run twice.
func TestGridFindsJobsOfDeadProcesses(t *testing.T) {
	f, dir := &fakeSlurm{next: -12}, t.TempDir()
	dead := openGrid(t, dir, f)
	for range 2 { // as jobs 89 and 90
		must.Get2(dead.Submit(t.Context(), []int{0, 1}, 0))(t)
	}
	f.queue = queued(dead, 1, "89 0 COMPLETED n1") + queued(dead, 2, "90 0 RUNNING n1", "90 1 FAILED n1") + "91|0|RUNNING|n1|exp-another-1\n"
	g := openGrid(t, dir, f)
	found := tasksOf(t, g)
	assert.Equal(t, slurm.Entry{Job: "90", State: "RUNNING", Nodes: "n1", Exit: -1}, found[0])
	assert.Equal(t, slurm.Entry{Job: "90", Index: 1, State: "FAILED", Nodes: "n1", Exit: -1}, found[1])
	_, submitted := must.Get2(g.Submit(t.Context(), []int{0, 1}, 0))(t)
	assert.Equal(t, []int{1}, submitted)
	_, submitted = must.Get2(g.Submit(t.Context(), []int{0}, 0))(t)
	assert.Empty(t, submitted)
	assert.Equal(t, slurm.Entry{Job: "91", State: slurm.Unknown, Exit: -1}, tasksOf(t, g)[1]) // squeue still lists the old submission
}

// Of two followers only one submits a lost task again.
func TestGridTwoFollowers(t *testing.T) {
	dir, f := t.TempDir(), &fakeSlurm{}
	first, second := openGrid(t, dir, f), openGrid(t, dir, f)
	must.Get2(first.Submit(t.Context(), []int{0}, 0))(t)
	f.queue = queued(first, 1, "101 0 NODE_FAIL n1")
	tasksOf(t, first)
	tasksOf(t, second)
	job, _ := must.Get2(first.Submit(t.Context(), []int{0}, 0))(t)
	f.queue += queued(first, 2, job+" 0 COMPLETED n2")
	_, submitted := must.Get2(second.Submit(t.Context(), []int{0}, 0))(t)
	assert.Empty(t, submitted)
}

// While the controller does not answer nothing counts as ended. What it cannot mean is an error, too.
func TestGridControllerDown(t *testing.T) {
	f := &fakeSlurm{}
	g := openGrid(t, t.TempDir(), f)
	must.Get2(g.Submit(t.Context(), []int{0}, 0))(t)
	f.down = true
	require.ErrorContains(t, must.Fail(g.Status(t.Context())), "Unable to contact slurm controller")
	require.Error(t, must.Fail2(g.Submit(t.Context(), []int{1}, 0)))
	assert.Equal(t, []string{"0-0"}, f.submissions())
	f.down = false
	for _, bad := range []string{"11|2", "11|x|RUNNING|n1|a", "slurm_load_jobs error: Unable to contact slurm controller"} {
		f.queue = bad
		assert.ErrorContains(t, must.Fail(g.Status(t.Context())), "squeue: cannot read line", bad)
	}
}

func TestGridIsLocked(t *testing.T) {
	g := openGrid(t, t.TempDir(), &fakeSlurm{})
	lock := must.Get(fsx.In(g.Dir).Acquire("lock"))(t)
	defer lock.Release()
	_, _, err := g.Submit(t.Context(), []int{0}, 0)
	held := new(fsx.HeldError)
	require.ErrorAs(t, err, &held)
	assert.Equal(t, os.Getpid(), held.PID)
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		end  slurm.Entry
		lost bool
		says string
	}{
		{slurm.Entry{State: "NODE_FAIL", Exit: -1}, true, "its node failed"},
		{slurm.Entry{State: "PREEMPTED"}, true, "preempted"},
		{slurm.Entry{State: "TIMEOUT"}, true, "killed at its time limit"},
		{slurm.Entry{State: "FAILED", Exit: 130}, true, "stopped after a checkpoint"},
		{slurm.Entry{State: "FAILED", Exit: 124}, false, "it reached its time limit before the first checkpoint: ask for more, such as --time=2:00:00 in slurm.yaml"},
		{slurm.Entry{State: "FAILED", Exit: 1}, false, "exit code 1"},
		{slurm.Entry{State: "FAILED", Exit: -1}, false, "failed"},
		{slurm.Entry{State: "OUT_OF_MEMORY"}, false, "out of memory: ask for more, such as --mem=4G in slurm.yaml"},
		{slurm.Entry{State: slurm.Cancelled}, false, "cancelled"},
		{slurm.Entry{State: slurm.Unknown, Exit: -1}, false, "ended, and Slurm no longer knows how"},
	} {
		assert.Equal(t, c.lost, c.end.Lost(), c.says)
		assert.Equal(t, c.says, c.end.String())
		assert.True(t, c.end.Ended())
	}
	for _, live := range []string{"PENDING", "COMPLETING", "REQUEUED", "SOMETHING_NEW"} {
		assert.False(t, (&slurm.Entry{State: live}).Ended(), live)
		assert.Equal(t, live == "PENDING" || live == "REQUEUED", (&slurm.Entry{State: live}).Waits(), live)
	}
}

func FuzzSlurm(f *testing.F) {
	f.Add("11|2|PENDING||a\n", "cpus: 2\npoll: 2s\n")
	f.Fuzz(func(t *testing.T, queue, options string) {
		fake := &fakeSlurm{}
		g := openGrid(t, t.TempDir(), fake)
		must.Get2(g.Submit(t.Context(), []int{0}, 0))(t)
		fake.queue = queue
		_, _ = g.Status(t.Context())
		_, _ = slurm.ParseOptions("slurm.yaml", []byte(options))
	})
}

// fakeSlurm is a Slurm in memory.
type fakeSlurm struct {
	next  int
	queue string            // output of squeue
	jobs  map[string]string // output of scontrol show job, by JOB_TASK
	down  bool              // the controller does not answer
	calls []string
}

func (f *fakeSlurm) run(_ context.Context, name string, args ...string) (string, error) {
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
func (f *fakeSlurm) submissions() (out []string) {
	for _, c := range f.calls {
		if rest, ok := strings.CutPrefix(c, "sbatch --parsable --array="); ok {
			array, _, _ := strings.Cut(rest, " ")
			out = append(out, array)
		}
	}
	return out
}

func TestParseOptions(t *testing.T) {
	got := must.Get(slurm.ParseOptions("slurm.yaml", []byte("at-once: 8\nsetup: [module load gcc]\noptions: [--constraint=avx512]\npoll: 1m\n")))(t)
	assert.Equal(t, slurm.Options{CPUs: 1, AtOnce: 8, Margin: 60, Poll: time.Minute, Setup: []string{"module load gcc"}, Sbatch: []string{"--constraint=avx512"}}, got)
	for text, want := range map[string]string{
		"cpus: 2\nparttion: main": `f.yaml:2: unknown field "parttion"; options of sbatch are a list: options: [`,
		"cpus: many":              "f.yaml:1: cannot unmarshal",
		"cpus: 1\nsetup: [a":      "f.yaml:2: did not find expected ',' or ']'",
		"poll: soon":              "f.yaml:1: cannot unmarshal",
		"cpus: 0":                 "f.yaml: cpus and poll must be positive, at-once and margin not negative",
	} {
		_, err := slurm.ParseOptions("f.yaml", []byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestJobScript(t *testing.T) {
	o := must.Get(slurm.ParseOptions("", []byte("exp: /bin/exp\ncpus: 2\nsetup: [module load x]\noptions: [--time=90, --nice]\n")))(t)
	s := slurm.Script{Dir: "/home/a b/runs/.slurm/1", Runs: "/home/a b/runs", Data: "/da'ta", Every: 2 * time.Minute, Options: o}
	text := must.Get(s.Text())(t)
	head, _, _ := strings.Cut(string(text), "# One task")
	assert.Equal(t, `#!/bin/bash
#SBATCH --output="/home/a b/runs/.slurm/1/log/%A_%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --time=90
#SBATCH --nice
`, head)
	assert.Contains(t, string(text), `'/bin/exp' run "$@" --runs '/home/a b/runs' --data-dir '/da'\''ta' --workers 2 --checkpoint-every 2m0s &`)
	assert.Contains(t, string(text), "\nmodule load x\n")
	if bash, err := exec.LookPath("bash"); err == nil {
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(string(text))
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, string(out))
	}
}
