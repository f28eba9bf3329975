package slurm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/slurm"
)

var (
	names = []string{"a/1", "a/2", "b/3", "b/4", "b/5"}
	words = []string{"a seed=1", "a seed=2", "b", "b lr=0.1", "b lr=1"}
)

func open(t *testing.T, dir string) *slurm.Grid {
	g, err := slurm.Open(dir, names, words)
	require.NoError(t, err)
	return g
}

func TestGrid(t *testing.T) {
	dir, f := t.TempDir(), &fake{}
	g := open(t, dir)
	b, err := os.ReadFile(filepath.Join(g.Dir, "tasks.txt"))
	require.NoError(t, err)
	assert.Equal(t, "a seed=1\na seed=2\nb\nb lr=0.1\nb lr=1\n", string(b))

	found, err := g.Look(t.Context(), f.client(), []int{0, 4})
	require.NoError(t, err)
	assert.Empty(t, found, "never submitted")

	job, submitted, err := g.Submit(t.Context(), f.client(), []int{0, 1, 2, 4}, 2)
	require.NoError(t, err)
	assert.Equal(t, "101", job)
	assert.Equal(t, []int{0, 1, 2, 4}, submitted)
	assert.Equal(t, []string{"0-2,4%2"}, f.submissions())

	// How tasks ended comes from squeue, exit codes from scontrol or sacct.
	f.queue = "101|0|RUNNING|n1\n101|1|FAILED|n1\n101|2|FAILED|n1\n101|4|CANCELLED|n1\n"
	f.jobs = map[string]string{"101_1": "JobId=105 ArrayJobId=101 ArrayTaskId=1 JobState=FAILED ExitCode=130:0"}
	f.accounts = "3:9\n"
	found, err = g.Look(t.Context(), f.client(), []int{0, 1, 2, 3, 4})
	require.NoError(t, err)
	assert.Equal(t, map[int]slurm.Entry{
		0: {Job: "101", State: "RUNNING", Nodes: "n1", Exit: -1},
		1: {Job: "101", Task: 1, State: "FAILED", Nodes: "n1", Exit: 130},
		2: {Job: "101", Task: 2, State: "FAILED", Nodes: "n1", Exit: 3, Signal: 9},
		4: {Job: "101", Task: 4, State: slurm.Cancelled, Nodes: "n1", Exit: -1},
	}, found)

	// Another process finds the same grid and submits only the tasks that are not in the queue.
	g = open(t, dir)
	_, err = g.Look(t.Context(), f.client(), []int{0, 2, 3})
	require.NoError(t, err)
	job, submitted, err = g.Submit(t.Context(), f.client(), []int{0, 2, 3}, 0)
	require.NoError(t, err)
	assert.Equal(t, "102", job)
	assert.Equal(t, []int{2, 3}, submitted)

	// It remembers how a task ended when Slurm has forgotten it.
	f.queue = "102|2|FAILED|n1\n"
	_, err = g.Look(t.Context(), f.client(), []int{2, 3})
	require.NoError(t, err)
	f.queue, f.accounts = "", ""
	found, err = g.Look(t.Context(), f.client(), []int{2, 3})
	require.NoError(t, err)
	assert.Equal(t, slurm.Entry{Job: "102", Task: 2, State: "FAILED", Nodes: "n1", Exit: 3, Signal: 9}, found[2])
	assert.Equal(t, slurm.Entry{Job: "102", Task: 3, State: slurm.Unknown, Exit: -1}, found[3])
	e := found[3]
	assert.Equal(t, filepath.Join(g.Dir, "log", "102_3.log"), g.Log(&e))
}

// A process that dies right after sbatch does not make tasks run twice.
func TestGridFindsJobsOfDeadProcesses(t *testing.T) {
	f := &fake{queue: "90|0|COMPLETED|n1\n93|0|RUNNING|n1\n93|1|FAILED|n1\n"}
	g := open(t, t.TempDir())
	found, err := g.Look(t.Context(), f.client(), []int{0, 1})
	require.NoError(t, err)
	assert.Equal(t, slurm.Entry{Job: "93", State: "RUNNING", Nodes: "n1", Exit: -1}, found[0])
	assert.Equal(t, slurm.Entry{Job: "93", Task: 1, State: "FAILED", Nodes: "n1", Exit: -1}, found[1])
	_, submitted, err := g.Submit(t.Context(), f.client(), []int{0, 1}, 0)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, submitted)
	_, submitted, err = g.Submit(t.Context(), f.client(), []int{0}, 0)
	require.NoError(t, err)
	assert.Empty(t, submitted)
	found, err = g.Look(t.Context(), f.client(), []int{1}) // squeue still lists the old submission
	require.NoError(t, err)
	assert.Equal(t, slurm.Entry{Job: "101", Task: 1, State: slurm.Unknown, Exit: -1}, found[1])
	assert.Equal(t, []string{"1"}, f.submissions())
}

// Of two followers only one submits a lost task again.
func TestGridTwoFollowers(t *testing.T) {
	dir, f := t.TempDir(), &fake{queue: "101|0|NODE_FAIL|n1\n"}
	first, second := open(t, dir), open(t, dir)
	for _, g := range []*slurm.Grid{first, second} {
		_, err := g.Look(t.Context(), f.client(), []int{0})
		require.NoError(t, err)
	}
	f.next = 1
	job, _, err := first.Submit(t.Context(), f.client(), []int{0}, 0)
	require.NoError(t, err)
	f.queue += job + "|0|COMPLETED|n2\n"
	_, submitted, err := second.Submit(t.Context(), f.client(), []int{0}, 0)
	require.NoError(t, err)
	assert.Empty(t, submitted)
}

// While the controller does not answer nothing counts as ended.
func TestGridControllerDown(t *testing.T) {
	dir, f := t.TempDir(), &fake{}
	g := open(t, dir)
	_, _, err := g.Submit(t.Context(), f.client(), []int{0}, 0)
	require.NoError(t, err)
	f.down = true
	_, err = g.Look(t.Context(), f.client(), []int{0})
	require.ErrorContains(t, err, "Unable to contact slurm controller")
	_, _, err = g.Submit(t.Context(), f.client(), []int{1}, 0)
	require.Error(t, err)
	assert.Equal(t, []string{"0"}, f.submissions())
}

func TestGridIsLocked(t *testing.T) {
	f := &fake{}
	g := open(t, t.TempDir())
	lock, err := fsx.In(g.Dir).Acquire("lock")
	require.NoError(t, err)
	defer lock.Release()
	_, _, err = g.Submit(t.Context(), f.client(), []int{0}, 0)
	held := new(fsx.HeldError)
	require.ErrorAs(t, err, &held)
	assert.Equal(t, os.Getpid(), held.PID)
}

func TestGridErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := slurm.Open(dir, []string{"a"}, []string{"a\nb"})
	require.ErrorContains(t, err, "line break")
}

func TestParseQueue(t *testing.T) {
	list, err := slurm.ParseQueue("11|2|PENDING|\n12|N/A|RUNNING|n1\n\n11|0|RUNNING|n1\n")
	require.NoError(t, err)
	require.Equal(t, []slurm.Entry{{Job: "11", Task: 2, State: "PENDING", Exit: -1}, {Job: "11", State: "RUNNING", Nodes: "n1", Exit: -1}}, list)
	assert.True(t, list[0].Waits())
	assert.False(t, list[1].Waits() || list[1].Ended())
	for _, bad := range []string{"11|2", "11|x|RUNNING|n1", "slurm_load_jobs error: Unable to contact slurm controller"} {
		_, err := slurm.ParseQueue(bad)
		assert.ErrorContains(t, err, "squeue: ", bad)
	}
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		end  slurm.Entry
		lost bool
		says string
	}{
		{slurm.Entry{State: "NODE_FAIL", Exit: -1}, true, "its node failed"},
		{slurm.Entry{State: "PREEMPTED"}, true, "preempted"},
		{slurm.Entry{State: "TIMEOUT", Signal: 15}, true, "killed at its time limit"},
		{slurm.Entry{State: "FAILED", Exit: 130}, true, "stopped after a checkpoint"},
		{slurm.Entry{State: "FAILED", Exit: 124}, false, "it reached its time limit before the first checkpoint: ask for more with --slurm-time"},
		{slurm.Entry{State: "FAILED", Exit: 1}, false, "exit code 1"},
		{slurm.Entry{State: "FAILED", Signal: 9}, false, "ended by signal 9"},
		{slurm.Entry{State: "FAILED", Exit: -1}, false, "failed"},
		{slurm.Entry{State: "OUT_OF_MEMORY", Signal: 125}, false, "out of memory: ask for more with --slurm-memory"},
		{slurm.Entry{State: slurm.Cancelled}, false, "cancelled"},
		{slurm.Entry{State: slurm.Unknown, Exit: -1}, false, "ended, and Slurm no longer knows how"},
	} {
		assert.Equal(t, c.lost, c.end.Lost(), c.says)
		assert.Equal(t, c.says, c.end.String())
		assert.True(t, c.end.Ended())
	}
	for _, live := range []string{"PENDING", "COMPLETING", "REQUEUED", "SOMETHING_NEW"} {
		assert.False(t, (&slurm.Entry{State: live}).Ended(), live)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("11|2|PENDING|\n")
	f.Add("partition: main\ntime: 2h\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = slurm.ParseQueue(text)
		if o, err := slurm.ParseOptions("slurm.yaml", []byte(text)); err == nil {
			require.NoError(t, o.Check())
		}
	})
}
