package slurm_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/slurm"
)

// The files in testdata were printed by Slurm 22.05, sacct's with accounting on.
func fixture(t testing.TB, name string) string {
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(b)
}

func TestParseQueue(t *testing.T) {
	list, err := slurm.ParseQueue(fixture(t, "squeue.txt"))
	require.NoError(t, err)
	require.Len(t, list, 13)
	assert.Equal(t, slurm.Entry{Job: "1", Task: 1, State: slurm.Cancelled, Reason: "BeginTime", Elapsed: "0:00"}, list[0])
	assert.Equal(t, slurm.Entry{Job: "11", Task: 2, State: slurm.Pending, Reason: "Resources", Elapsed: "0:00"}, list[9])
	assert.True(t, list[9].Waits())
	assert.Equal(t, slurm.Entry{Job: "11", Task: 0, State: slurm.Running, Reason: "None", Elapsed: "0:25", Nodes: "node1"}, list[11])
	assert.False(t, list[11].Waits())

	// Arrays that are not expanded, jobs that are none.
	list, err = slurm.ParseQueue("11|2-3|PENDING|Priority|0:00|\n12|N/A|RUNNING|None|0:01|n1\n\n")
	require.NoError(t, err)
	assert.Len(t, list, 2)
	for _, bad := range []string{"11|2", "11|x|RUNNING|None|0:01|n1", "slurm_load_jobs error: Unable to contact slurm controller"} {
		_, err := slurm.ParseQueue(bad)
		assert.ErrorContains(t, err, "squeue: ", bad)
	}
}

func TestParseJobs(t *testing.T) {
	ends, err := slurm.ParseJobs(fixture(t, "scontrol.txt"))
	require.NoError(t, err)
	assert.Equal(t, map[slurm.Task]slurm.End{
		{Job: "7", Index: 0}: {Job: "7", State: slurm.Cancelled, Reason: "BeginTime"},
		{Job: "7", Index: 1}: {Job: "7", State: slurm.Cancelled, Exit: 130},
		{Job: "7", Index: 2}: {Job: "7", State: slurm.Cancelled, Exit: 130},
		{Job: "7", Index: 3}: {Job: "7", State: slurm.Cancelled, Reason: "Resources"},
		{Job: "1", Index: 1}: {Job: "1", State: slurm.Cancelled, Reason: "BeginTime"},
		{Job: "1", Index: 2}: {Job: "1", State: slurm.Failed, Signal: 10, Reason: "JobLaunchFailure"},
	}, ends) // of job 11 nothing has ended
	_, err = slurm.ParseJobs("slurm_load_jobs error: Invalid job id specified")
	assert.ErrorContains(t, err, "scontrol: cannot read the job")
	_, err = slurm.ParseJobs("JobId=3 ArrayJobId=3 ArrayTaskId=x JobState=FAILED")
	assert.ErrorContains(t, err, "scontrol: ")
}

func TestParseAccounts(t *testing.T) {
	ends, err := slurm.ParseAccounts(fixture(t, "sacct.txt"))
	require.NoError(t, err)
	assert.Equal(t, map[slurm.Task]slurm.End{
		{Job: "1", Index: 0}: {Job: "1", State: slurm.Completed},
		{Job: "1", Index: 1}: {Job: "1", State: slurm.Failed, Exit: 3},
		{Job: "1", Index: 2}: {Job: "1", State: slurm.Failed, Signal: 9},
		{Job: "1", Index: 3}: {Job: "1", State: slurm.Timeout},
		{Job: "1", Index: 5}: {Job: "1", State: slurm.Completed},
		{Job: "6", Index: 0}: {Job: "6", State: slurm.Cancelled},
		{Job: "6", Index: 1}: {Job: "6", State: slurm.Cancelled},
		{Job: "6", Index: 2}: {Job: "6", State: slurm.Cancelled},
		{Job: "6", Index: 3}: {Job: "6", State: slurm.Cancelled},
	}, ends)
	ends, err = slurm.ParseAccounts("1_0|FAILED|1:0\n1_0|RUNNING|0:0\n2_[4-...]|PENDING|0:0\n")
	require.NoError(t, err)
	assert.Empty(t, ends) // it was put back into the queue
	_, err = slurm.ParseAccounts("Slurm accounting storage is disabled")
	assert.ErrorContains(t, err, "sacct: ")
}

// What Slurm prints is read without a panic and without more memory than it took.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"squeue.txt", "scontrol.txt", "sacct.txt"} {
		f.Add(fixture(f, name))
	}
	f.Add("1|0-4000:2|PENDING||0|")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = slurm.ParseQueue(text)
		_, _ = slurm.ParseJobs(text)
		_, _ = slurm.ParseAccounts(text)
		if list, err := slurm.ParseIndices(text); err == nil {
			again, err := slurm.ParseIndices(slurm.FormatIndices(list))
			require.NoError(t, err)
			require.Equal(t, slurm.FormatIndices(list), slurm.FormatIndices(again))
		}
		if o, err := slurm.ParseOptions("slurm.yaml", []byte(text)); err == nil {
			require.NoError(t, o.Check())
		}
	})
}
