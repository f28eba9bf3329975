package slurm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/slurm"
)

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		end  slurm.End
		lost bool
		says string
	}{
		{slurm.End{State: slurm.NodeFail, Exit: -1}, true, "its node failed"},
		{slurm.End{State: slurm.Preempted}, true, "preempted"},
		{slurm.End{State: slurm.Timeout, Signal: 15}, true, "killed at its time limit"},
		{slurm.End{State: slurm.Failed, Exit: 130}, true, "stopped after a checkpoint"},
		{slurm.End{State: slurm.Failed, Exit: 124}, false, "its time was up before a checkpoint: ask for more with --slurm-time"},
		{slurm.End{State: slurm.Failed, Exit: 1, Reason: "NonZeroExitCode"}, false, "exit code 1"},
		{slurm.End{State: slurm.Failed, Signal: 9}, false, "ended by signal 9"},
		{slurm.End{State: slurm.Failed, Exit: -1, Reason: "JobLaunchFailure"}, false, "failed (JobLaunchFailure)"},
		{slurm.End{State: slurm.OutOfMemory, Signal: 125}, false, "out of memory: ask for more with --slurm-memory"},
		{slurm.End{State: slurm.Cancelled}, false, "cancelled"},
		{slurm.End{State: slurm.Completed}, false, "ended without its run"},
		{slurm.End{State: slurm.Unknown, Exit: -1}, false, "ended, and Slurm does not know how"},
	} {
		assert.Equal(t, c.lost, c.end.Lost(), c.says)
		assert.Equal(t, c.says, c.end.String())
		assert.True(t, c.end.State.Ended())
	}
	for _, live := range []slurm.State{slurm.Pending, slurm.Running, "COMPLETING", "REQUEUED", "SOMETHING_NEW"} {
		assert.False(t, live.Ended(), live)
	}
}

func TestIndices(t *testing.T) {
	for text, want := range map[string][]int{
		"3":        {3},
		"0-3,7":    {0, 1, 2, 3, 7},
		"[4-7%2]":  {4, 5, 6, 7},
		"0-8:4,10": {0, 4, 8, 10},
	} {
		got, err := slurm.ParseIndices(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "1-", "a", "3-1", "0-3:0", "1,,2", "0-99999999999", "0-4000001", "[4-...]"} {
		_, err := slurm.ParseIndices(text)
		assert.Error(t, err, text)
	}
	assert.Equal(t, "0-3,7", slurm.FormatIndices([]int{7, 3, 2, 2, 0, 1}))
}

func TestIndicesThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.IntRange(0, 500), 1, 60, rapid.ID).Draw(t, "indices")
		got, err := slurm.ParseIndices(slurm.FormatIndices(list))
		require.NoError(t, err)
		require.ElementsMatch(t, list, got)
		require.IsIncreasing(t, append([]int{-1}, got...))
	})
}
