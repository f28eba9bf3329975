package infer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// onnxCases are the models that have a graph, with every setting that changes it.
var onnxCases = []struct{ name, settings string }{
	{"tme9-mean", ""},
	{"tme9-bilstm", "pool.max=true"}, {"tme9-lstm", "members=3 state.dropout=0.2"},
	{"tme9-simple", "oov=learned lambda=0.1"},
	{"tme9-query", "variant=original"},
	{"tme9-values", "value.activation=relu slip.relu_logits=true"},
	{"tme9-values", "value.activation=tanh data.max_len=12"},
	{"tme9-lstm", "variant=original"},
	{"tme9-lstm", "value.activation=tanh dropout=0.5"},
	{"tme9-lstm", "cell=rnn key.map=tanh query.activation=relu"},
	{"tme9-values", "attention=uniform value.activation=tanh"},
	{"tme9-lstm", "attention=frozen"},
	{"tme9-simple", "attention.softmax=sparsemax"},
	{"tme9-lstm", "attention.softmax=entmax-1.5"},
	{"additive", "hidden=6 attention.gated=true attention.softmax=sparsemax"},
	{"tme9-bilstm", "cell=rnn lstm.hidden=7"},
	{"tme9-bilstm", "pool=last lstm.hidden=8"},
	{"tme9-lstm-mean", "lstm.bidirectional=true"},
	{"additive", "form=concat cell=gru bidirectional=false query=mean hidden=6"},
	{"luong", "cell=gru hidden=6"},
	{"luong", "score=dot query=learned hidden=6"},
	{"luong", "score=concat query=learned hidden=6"},
	{"tme10-self", "layers=2 key.width=5"},
	{"tme10-self", "variant=original slip.pad=false slip.pad_statistics=false layers=2"},
	{"tme10-pe", "layers=1 norm=layer norm.place=after activation=gelu heads=2"},
	{"tme10-cls-pe", "layers=2 positions=halves scale=none residual=false heads=5 key.width=10"},
	{"tme10-cls", "layers=1 positions=learned positions.max=600 norm=none"},
	{"multihead", "layers=2 norm=batch pool=attention heads=3"},
	{"transformer", "heads=3 ffn.width=7"},
	{"transformer", "width=8 heads=2 norm.place=before activation=gelu pool=cls positions=sinusoid"},
}

// Each model has a graph. If onnxruntime is there (EXP_ONNXRUNTIME, as in .ci/run), its answers to
// texts alone and in padded batches are the model's.
func TestONNX(t *testing.T) {
	texts := []string{"the film is good , the plot is not", "", "xyzzy", "a dull story", strings.Repeat("dull and great . ", 90)}
	for _, c := range onnxCases {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			t.Parallel()
			run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=10", "lr=0.05", "vectors.dim=12")...)
			compareONNX(t, run, pool, texts)
		})
	}
}

func TestONNXRefuses(t *testing.T) {
	run, _ := train(t, "tme9-simple", "epochs=1", "data.limit=10", "vectors.dim=12")
	trained := must.Get(infer.ReadRun(run))(t)
	weights := trained.Weights
	trained.Weights = weights[1:]
	require.ErrorContains(t, must.Fail(trained.ONNX()), run.Label()+": checkpoint: "+weights[0].Name+" is missing")
	trained.Weights = weights
	trained.Weights[0].Shape = trained.Weights[0].Shape[:1]
	require.ErrorContains(t, must.Fail(trained.ONNX()), "has the shape")
}

// tolerance is the max error of other programs, relative if the number is above one:
// they add up in other orders, and logits grow to 10 and more.
const tolerance = 1e-5

// differences returns the largest one of each output.
func differences(t *testing.T, m *infer.Model, texts []string, order [][]int, outputs []map[string]array) map[string]float64 {
	t.Helper()
	worst := map[string]float64{}
	for k, out := range outputs {
		for row, i := range order[k] {
			want := answers(t, m, texts[i])
			require.Equal(t, len(want), len(out), "outputs %v", out)
			for name, values := range want {
				x := out[name]
				require.Equal(t, len(order[k]), x.Dims[0], name)
				n := len(x.Data) / x.Dims[0]
				require.GreaterOrEqual(t, n, len(values), name)
				for j, v := range x.Data[row*n:][:n] { // behind a text its padding, which gets nothing
					w := 0.0
					if j < len(values) {
						w = float64(values[j])
					}
					diff := math.Abs(v-w) / max(1, math.Abs(w))
					require.False(t, math.IsNaN(diff), name)
					worst[name] = max(worst[name], diff)
				}
			}
		}
	}
	return worst
}

// answers are what this program says about a text, by the names of the outputs.
func answers(t *testing.T, m *infer.Model, text string) map[string][]float32 {
	t.Helper()
	e := m.Encode(text)
	b := must.Get(m.Run([]infer.Encoded{e}))(t)
	out := map[string][]float32{"logits": b.Logits(0), "probabilities": b.P(0)}
	a := must.Get(b.Attention(0))(t)
	if a != nil {
		out["attention"], out["entropy"] = a, []float32{b.Entropy(0)}
	}
	return out
}

// paddedBatches are the texts as ids: each of the first three alone, then all in
// batches of eight.
func paddedBatches(m *infer.Model, texts []string) (batches [][][]int32, order [][]int) {
	add := func(which ...int) {
		longest := 0
		var batch [][]int32
		for _, i := range which {
			ids := m.Encode(texts[i]).Rows
			batch = append(batch, ids)
			longest = max(longest, len(ids))
		}
		for i := range batch {
			for len(batch[i]) < longest {
				batch[i] = append(batch[i], infer.PadID)
			}
		}
		batches, order = append(batches, batch), append(order, which)
	}
	var all []int
	for i := range texts {
		all = append(all, i)
		if i < 3 {
			add(i)
		}
	}
	for len(all) > 0 {
		n := min(8, len(all))
		add(all[:n]...)
		all = all[n:]
	}
	return batches, order
}

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
	pool := ops.NewPool(1)
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
