package training

import (
	"context"
	"os"
	"testing"
	"time"

	"imdbexp/dataset"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"

	"github.com/stretchr/testify/require"
)

// BenchmarkTrainedVectors compares a pass over IMDB with frozen and with trained
// vectors. The two take turns at the same batches, and of each batch the least
// time of all rounds counts, so that the ratio holds on a busy machine too.
//
//	EXP_DATA=FOLDER go test ./experiments/training -run '^$' -bench TrainedVectors -benchtime 20x
func BenchmarkTrainedVectors(b *testing.B) {
	dir := os.Getenv("EXP_DATA")
	if dir == "" {
		b.Skip("needs the real data: EXP_DATA names a data folder with IMDB and GloVe")
	}
	pool := ops.NewPool(2)
	defer pool.Close()
	l := &task.Loader{Dir: dir, Workers: 2}
	e, err := experiments.Lookup("tme9-simple")
	require.NoError(b, err)
	const batches = 100
	var trainers []*trainer
	for _, set := range []string{"vectors.train=false", "vectors.train=true"} {
		p, err := plan.New(plan.Base{Experiment: e}, "imdb", []string{"data=imdb", set})
		require.NoError(b, err)
		d, err := l.Load(context.Background(), p.Task(), p.Run)
		require.NoError(b, err)
		t, err := newTrainer(p, d, pool, nil)
		require.NoError(b, err)
		defer t.close()
		trainers = append(trainers, t)
	}
	size := trainers[0].run.Batch
	order := dataset.Shuffle(trainers[0].data.Len(), 1, 1)
	least := make([][batches]time.Duration, len(trainers))
	for b.Loop() {
		for i := range batches {
			for k, t := range trainers {
				begin := time.Now()
				x := t.data.fill(order[i*size : (i+1)*size])
				require.NoError(b, t.differentiate(x, uint64(i)))
				_, err := t.move(0)
				require.NoError(b, err)
				if took := time.Since(begin); least[k][i] == 0 || took < least[k][i] {
					least[k][i] = took
				}
			}
		}
	}
	var pass [2]float64
	for k := range least {
		for _, took := range least[k] {
			pass[k] += took.Seconds() * float64(len(order)) / float64(size*batches)
		}
	}
	b.ReportMetric(pass[0], "s/frozen-pass")
	b.ReportMetric(pass[1], "s/trained-pass")
	b.ReportMetric(pass[1]/pass[0], "ratio")
}
