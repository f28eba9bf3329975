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
	assert.True(t, found[0].New() && found[4].New())

	job, submitted, err := g.Submit(t.Context(), f.client(), []int{0, 1, 2, 4}, 2)
	require.NoError(t, err)
	assert.Equal(t, "101", job)
	assert.Equal(t, []int{0, 1, 2, 4}, submitted)
	assert.Equal(t, []string{"0-2,4%2"}, f.submissions())

	// Another process finds the same grid, submits only what is not in the queue, and
	// learns how the others ended from whoever knows.
	g = open(t, dir)
	f.queue = "101|0|RUNNING|None|0:05|n1\n101|1|PENDING|Priority|0:00|\n101|4|CANCELLED|None|0:01|n1\n"
	f.jobs = map[string]string{"101": "JobId=105 ArrayJobId=101 ArrayTaskId=4 JobState=CANCELLED Reason=None ExitCode=130:0"}
	f.accounts = "101_2|NODE_FAIL|0:0\n"
	found, err = g.Look(t.Context(), f.client(), []int{0, 1, 2, 3, 4})
	require.NoError(t, err)
	assert.Equal(t, "n1", found[0].Entry.Nodes)
	assert.True(t, found[1].Entry.Waits())
	assert.Equal(t, slurm.End{Job: "101", State: slurm.NodeFail}, *found[2].End)
	assert.True(t, found[3].New())
	assert.Equal(t, slurm.End{Job: "101", State: slurm.Cancelled, Exit: 130}, *found[4].End)
	job, submitted, err = g.Submit(t.Context(), f.client(), []int{0, 1, 2, 3}, 0)
	require.NoError(t, err)
	assert.Equal(t, "102", job)
	assert.Equal(t, []int{2, 3}, submitted)
	assert.Equal(t, filepath.Join(g.Dir, "log", "102_3.log"), g.Log(slurm.Task{Job: job, Index: 3}))

	// What is known of an end is remembered when Slurm has forgotten it; what nobody
	// knows is said so.
	g, f.queue, f.jobs, f.accounts = open(t, dir), "", nil, ""
	found, err = g.Look(t.Context(), f.client(), []int{2, 4})
	require.NoError(t, err)
	assert.Equal(t, slurm.End{Job: "102", State: slurm.Unknown, Exit: -1}, *found[2].End)
	assert.Equal(t, slurm.Cancelled, found[4].End.State)
}

// A process that dies between sbatch and writing it down does not make tasks run twice.
func TestGridFindsJobsNobodyWroteDown(t *testing.T) {
	f := &fake{queue: "90|0|COMPLETED|None|0:05|n1\n93|0|RUNNING|None|0:05|n1\n93|1|FAILED|NonZeroExitCode|0:05|n1\n"}
	g := open(t, t.TempDir())
	found, err := g.Look(t.Context(), f.client(), []int{0, 1})
	require.NoError(t, err)
	assert.Equal(t, slurm.Task{Job: "93", Index: 0}, found[0].Task)
	require.NotNil(t, found[0].Entry)
	assert.Equal(t, slurm.End{Job: "93", State: slurm.Failed, Exit: -1, Reason: "NonZeroExitCode"}, *found[1].End)
	_, submitted, err := g.Submit(t.Context(), f.client(), []int{0, 1}, 0)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, submitted)
	_, submitted, err = g.Submit(t.Context(), f.client(), []int{0}, 0)
	require.NoError(t, err)
	assert.Empty(t, submitted)
	found, err = g.Look(t.Context(), f.client(), []int{1}) // what squeue still lists of it is old
	require.NoError(t, err)
	assert.Equal(t, slurm.Task{Job: "101", Index: 1}, found[1].Task)
	assert.Equal(t, []string{"1"}, f.submissions())
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

// A program that is there already is left alone, for tasks may be running it.
func TestKeepProgram(t *testing.T) {
	g, path := open(t, t.TempDir()), filepath.Join(t.TempDir(), "exp")
	require.ErrorIs(t, g.KeepProgram(path), os.ErrNotExist)
	keep := func(text string) os.FileInfo {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		require.NoError(t, g.KeepProgram(path))
		b, err := os.ReadFile(slurm.Program(g.Dir))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		info, err := os.Stat(slurm.Program(g.Dir))
		require.NoError(t, err)
		return info
	}
	first := keep("one")
	assert.True(t, os.SameFile(first, keep("one")))
	require.NoError(t, os.Chmod(slurm.Program(g.Dir), 0o444)) // as after a process that died half-way
	assert.Equal(t, first.Mode(), keep("one").Mode())
	keep("two")
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
	_, err = slurm.Open(dir, []string{"a"}, nil)
	require.Error(t, err)
	g := open(t, dir)
	for _, bad := range []string{"{", `[{"job": "x"}]`, `[{"job": "1", "tasks": "many"}]`, `{"format": 2}`} {
		file := filepath.Join(g.Dir, "jobs.json")
		require.NoError(t, os.WriteFile(file, []byte(bad), 0o666))
		_, err := slurm.Open(dir, names, words)
		require.ErrorContains(t, err, file, bad)
		require.ErrorContains(t, err, "remove the file", bad)
	}
}

// Whatever the files of a grid hold, reading them ends with jobs or an error.
func FuzzGrid(f *testing.F) {
	f.Add([]byte(`[{"job": "101", "tasks": "0-3,7", "time": "2026-11-20T18:16:21Z"}]`), []byte(`{"2": {"job": "101", "state": "CANCELLED", "exit": 130}}`))
	f.Add([]byte(`null`), []byte(`null`))
	dir := f.TempDir()
	g, err := slurm.Open(dir, names, words)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, jobs, ends []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "jobs.json"), jobs, 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "ends.json"), ends, 0o666))
		if err := g.Load(); err != nil {
			return
		}
		_, err := g.Look(t.Context(), (&fake{queue: "7|0|FAILED|None|0:01|n1\n"}).client(), []int{0, 2})
		require.NoError(t, err)
	})
}
