package inpage

import (
	"bytes"
	"context"
	"encoding/json"

	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/ops"
)

// Train trains; the question is a train.Question as JSON. It calls tell for each step, and hand with
// the table and the model, for Player, before the last.
func Train(question string, tell func(train.News), hand func(table, model []byte)) error {
	return guard.Call(func() error {
		var q train.Question
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return err
		}
		pool := ops.NewPool(1)
		defer pool.Close()
		r := &training.Runner{Loader: &task.Loader{Workers: 1}, Pool: pool}
		of, ended, err := train.Train(context.Background(), q, r, tell)
		if err != nil {
			return err
		}
		m, table, err := of.SplitTable()
		if err != nil {
			return err
		}
		var model bytes.Buffer
		if err := m.Write(&model); err != nil {
			return err
		}
		hand(table, model.Bytes())
		tell(train.News{Kind: "ended", Value: ended})
		return nil
	})
}
