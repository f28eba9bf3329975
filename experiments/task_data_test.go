package experiments_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/task"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
)

// Data that runs use is opened once, whatever else is opened in between; what
// nobody uses any more is let go, but for the last.
func TestLoaderShares(t *testing.T) {
	l := &task.Loader{Dir: t.TempDir(), Workers: 1}
	load := func(seed int) *task.Data {
		p := testrun.Plan(t, "tme9-mean", append([]string{"vectors=random", fmt.Sprintf("seed=%d", seed)}, testrun.Few...)...)
		d := must.Get(l.Load(context.Background(), p.Task(), p.Run))(t)
		return d
	}
	one, two := load(1), load(2)
	require.NotSame(t, one.Table, two.Table)
	for range 3 {
		runtime.GC()
		require.Same(t, one.Table, load(1).Table)
		require.Same(t, two.Table, load(2).Table)
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(two)

	table := load(3).Table
	runtime.GC()
	require.Same(t, table, load(3).Table, "the last one stays")

	gone := make(chan bool, 1)
	runtime.AddCleanup(load(4), func(c chan bool) { c <- true }, gone)
	load(5)
	runtime.GC()
	require.True(t, <-gone)
}

// Runs that ask for the same data at once wait for one of them to open it.
func TestLoaderOpensOnce(t *testing.T) {
	l := &task.Loader{Dir: t.TempDir(), Workers: 1}
	p := testrun.Plan(t, "tme9-mean", testrun.Few...)
	var tables [4]*embedding.Table
	var all sync.WaitGroup
	for i := range tables {
		all.Go(func() {
			if d, err := l.Load(context.Background(), p.Task(), p.Run); err == nil {
				tables[i] = d.Table
			}
		})
	}
	all.Wait()
	require.NotNil(t, tables[0])
	for _, table := range tables {
		require.Same(t, tables[0], table)
	}
}

// A run says how many words data.max_len cuts, if they are many, and how to keep them.
func TestCutTextsAreNamed(t *testing.T) {
	for length, want := range map[string]string{"5": "reviews are cut at 5 words, which drops", "512": ""} {
		var warned []string
		l := &task.Loader{Dir: t.TempDir(), Workers: 1, Warn: func(err error) { warned = append(warned, err.Error()) }}
		p := testrun.Plan(t, "tme9-mean", append(append([]string{}, testrun.Few...), "vectors=random", "data.max_len="+length)...)
		must.Get(l.Load(context.Background(), p.Task(), p.Run))(t)
		if want == "" {
			require.Empty(t, warned)
			continue
		}
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], want)
		require.Contains(t, warned[0], "data.max_len=0 keeps them")
	}
}

// Every class has the same weight in all, as with scikit-learn's class_weight="balanced".
func TestClassWeights(t *testing.T) {
	r := new(settings.Run)
	labels := []int32{0, 0, 0, 0, 0, 0, 1, 2, 2, 0}
	require.Nil(t, task.ClassWeights(r, labels, 3))
	r.ClassWeights = "balanced"
	require.InDeltaSlice(t, []float32{10.0 / 21, 10.0 / 3, 10.0 / 6}, task.ClassWeights(r, labels, 3), 1e-6)
	require.Zero(t, task.ClassWeights(r, labels, 4)[3], "a class without a review")

	share, unequal := (&task.Data{Classes: []string{"a", "b", "c"}, Train: &dataset.Encoded{Labels: labels}}).Unequal()
	require.Equal(t, 0.7, share)
	require.True(t, unequal)
	_, unequal = (&task.Data{Classes: []string{"a", "b"}, Train: &dataset.Encoded{Labels: []int32{0, 0, 0, 1, 1}}}).Unequal()
	require.False(t, unequal, "60 % is not over 60 %")
}
