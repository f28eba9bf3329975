package infer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// array is an output of onnxruntime.
type array struct {
	Dims []int
	Data []float64
}

// TestONNXRuntimeOnRuns compares onnxruntime with your own runs: EXP_ONNX_RUNS is their folder,
// EXP_ONNX_TEXTS the number of test reviews of each (200).
func TestONNXRuntimeOnRuns(t *testing.T) {
	folder := os.Getenv("EXP_ONNX_RUNS")
	if folder == "" || os.Getenv("EXP_ONNXRUNTIME") == "" {
		t.Skip("needs EXP_ONNX_RUNS=RUNS and EXP_ONNXRUNTIME=DIR (npm install --prefix DIR --ignore-scripts onnxruntime-node)")
	}
	list := must.Get(runs.List(folder))(t)
	pool := ops.NewPool(2)
	defer pool.Close()
	limit := 200
	if n := os.Getenv("EXP_ONNX_TEXTS"); n != "" {
		must.Get(fmt.Sscan(n, &limit))(t)
	}
	for _, run := range list {
		if run.Status.Epoch == 0 || run.Config.Padded() {
			continue // nothing trained yet, or no graph: exp export says so
		}
		t.Run(run.Label(), func(t *testing.T) {
			compareONNX(t, run, pool, testTexts(t, run, limit))
		})
	}
}

// compareONNX exports a model and compares onnxruntime, if it is there, with this program.
func compareONNX(t *testing.T, run *runs.Run, pool *ops.Pool, texts []string) {
	t.Helper()
	trained := must.Get(infer.ReadRun(run))(t)
	m := must.Get(trained.Model(pool))(t)
	defer m.Close()
	batches, order := paddedBatches(m, texts)
	named := make([]map[string][][]int32, len(batches))
	for i, b := range batches {
		named[i] = map[string][][]int32{"ids": b}
	}
	worst := differences(t, m, texts, order, runRuntime(t, must.Get(trained.ONNX())(t), named))
	t.Logf("%d texts, largest differences: %v", len(texts), worst)
	for name, d := range worst {
		require.LessOrEqual(t, d, tolerance, name)
	}
}

// runRuntime returns the outputs of each batch; nil without onnxruntime.
func runRuntime(t *testing.T, graph *onnx.Model, batches []map[string][][]int32) (out []map[string]array) {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(model, must.Get(graph.Encode())(t), 0o666))
	dir := os.Getenv("EXP_ONNXRUNTIME")
	if dir == "" {
		return nil
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("testdata", "onnxruntime.js"), model)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(dir, "node_modules"))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(must.Get(json.Marshal(batches))(t)), &stderr
	b, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	require.NoError(t, json.Unmarshal(b, &out))
	require.Len(t, out, len(batches))
	return out
}

// testTexts are test reviews of a run from all over the split, as they were
// written.
func testTexts(t *testing.T, run *runs.Run, limit int) []string {
	t.Helper()
	dir := must.Get(folder.Dir(""))(t)
	src := must.Get(folder.Source(dir, run.Config.Data.Name, folder.Options{}))(t)
	var texts []string
	seen, step := 0, max(1, run.Config.Data.Test.Reviews/limit)
	require.NoError(t, src.Reviews(t.Context(), func(p dataset.Part, r dataset.Review) error {
		if p == dataset.Test {
			if seen%step == 0 && len(texts) < limit {
				texts = append(texts, r.Text)
			}
			seen++
		}
		return nil
	}))
	return texts
}
