package infer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// onnxruntime returns the folder where npm has installed onnxruntime-node.
func onnxruntime(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("EXP_ONNXRUNTIME")
	if dir == "" {
		t.Skip("needs onnxruntime: npm install --prefix DIR --ignore-scripts onnxruntime-node, and EXP_ONNXRUNTIME=DIR")
	}
	return dir
}

// TestONNXRuntime runs texts through onnxruntime, alone and in padded batches, and
// compares with this program.
func TestONNXRuntime(t *testing.T) {
	dir := onnxruntime(t)
	texts := []string{"the film is good , the plot is not", "", "xyzzy", "a dull story", strings.Repeat("dull and great . ", 90)}
	for _, c := range onnxCases {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10", "lr=0.05", "vectors.dim=12")...)
			compareONNX(t, dir, run, pool, texts)
		})
	}
}

// TestTranslatorONNXRuntime does the same with translations.
func TestTranslatorONNXRuntime(t *testing.T) {
	dir := onnxruntime(t)
	for _, c := range translatorCases {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			run, m := trainPairs(t, c.name, strings.Fields(tinyFor(c.name)+c.settings)...)
			graph := must.Get(m.ONNX())(t)
			b := must.Get(graph.Encode())(t)
			path := filepath.Join(t.TempDir(), "model.onnx")
			require.NoError(t, os.WriteFile(path, b, 0o666))
			sentences := translated(t, run, m)
			source, target := pairsOf(t, graph, sentences)
			out := runRuntime(t, dir, path, []map[string][][]int32{{"source": source, "target": target}})
			compareTranslations(t, sentences, target, out[0])
		})
	}
}

// TestONNXRuntimeOnRuns does the same with runs of one's own: EXP_ONNX_RUNS is a
// folder of runs, EXP_ONNX_TEXTS how many test reviews to try of each (200).
func TestONNXRuntimeOnRuns(t *testing.T) {
	dir, folder := onnxruntime(t), os.Getenv("EXP_ONNX_RUNS")
	if folder == "" {
		t.Skip("for runs of one's own: EXP_ONNX_RUNS names no folder of runs")
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
			compareONNX(t, dir, run, pool, testTexts(t, run, limit))
		})
	}
}

// compareONNX compares onnxruntime with this program.
func compareONNX(t *testing.T, dir string, run *runs.Run, pool *ops.Pool, texts []string) {
	t.Helper()
	trained := must.Get(infer.ReadRun(run))(t)
	graph := must.Get(trained.ONNX())(t)
	b := must.Get(graph.Encode())(t)
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(path, b, 0o666))

	m := must.Get(trained.Model(pool))(t)
	defer m.Close()
	batches, order := paddedBatches(m, texts)
	named := make([]map[string][][]int32, len(batches))
	for i, b := range batches {
		named[i] = map[string][][]int32{"ids": b}
	}
	worst := differences(t, m, texts, order, runRuntime(t, dir, path, named))
	t.Logf("%d texts, largest differences: %v", len(texts), worst)
	for name, d := range worst {
		require.LessOrEqual(t, d, tolerance, name)
	}
}

// runRuntime returns the outputs of each batch.
func runRuntime(t *testing.T, dir, model string, batches []map[string][][]int32) []map[string]array {
	t.Helper()
	in := must.Get(json.Marshal(batches))(t)
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("testdata", "onnxruntime.js"), model)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(dir, "node_modules"))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	b, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var out []map[string]struct {
		Dims []int
		Data []float64
	}
	require.NoError(t, json.Unmarshal(b, &out))
	require.Len(t, out, len(batches))
	arrays := make([]map[string]array, len(out))
	for k, batch := range out {
		arrays[k] = map[string]array{}
		for name, x := range batch {
			arrays[k][name] = array{x.Dims, x.Data}
		}
	}
	return arrays
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
