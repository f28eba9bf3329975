package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// The tidy table has each number of each epoch with all its digits, and the settings that have not
// their default. The lines of docs/formats.md read it.
func TestTidy(t *testing.T) {
	dir, flags := folders(t)
	exp := func(args ...string) string { return ok(t, append(args, flags...)...) }
	exp("run", "tme9-simple", "data.limit=20", "vectors=random", "epochs=2", "seed=1..3", "lr=0.001,0.01")
	exp("run", "tme9-mean", "data.limit=20", "vectors=random", "epochs=1", "test=never")
	exp("run", "nbsvm", "data.limit=20")
	exp("runs", "tag", "nbsvm", "baseline")
	exp("runs", "note", "nbsvm", `counts "n-grams", fast`)
	table := exp("report", "--tidy")
	head, rows := named(must.Get(csv.NewReader(strings.NewReader(table)).ReadAll())(t))

	documented := documented(t)["A tidy table"]
	var want []string
	for _, name := range documented {
		switch name {
		case "METRIC":
			for _, m := range runs.AllMetrics() {
				want = append(want, m.Key)
			}
		case "setting.KEY":
			for _, key := range []string{"data.limit", "epochs", "lr", "vectors"} {
				want = append(want, "setting."+key)
			}
		default:
			want = append(want, name)
		}
	}
	require.Subset(t, head, want)
	require.Equal(t, want[:len(want)-4], head[:len(want)-4])

	all := map[string]map[string]float64{} // of each run and epoch its metrics, as trackers have them
	n := 0
	for _, r := range must.Get(runs.List(dir))(t) {
		for _, m := range must.Get(r.Metrics())(t) {
			row := rows[n]
			n++
			require.Equal(t, []string{r.Config.ID, strconv.Itoa(m.Epoch), fmt.Sprint(m.Epoch == r.Status.Epoch), fmt.Sprint(r.Config.Seed())},
				[]string{row["id"], row["epoch"], row["counts"], row["seed"]})
			values := map[string]float64{}
			for _, x := range runs.AllMetrics() {
				if v := x.Of(&m); v == nil {
					require.Empty(t, row[x.Key])
				} else {
					values[x.Key] = *v
					require.Equal(t, *v, must.Get(strconv.ParseFloat(row[x.Key], 64))(t))
				}
			}
			for _, key := range []string{"seconds", "words_per_s"} {
				values[key] = must.Get(strconv.ParseFloat(row[key], 64))(t)
			}
			all[fmt.Sprintf("%s %d", r.Label(), m.Epoch)] = values
			require.Equal(t, fmt.Sprint(r.Config.Name == "tme9-mean"), row["trial"])
			if r.Config.Name == "nbsvm" { // whose configuration has them, without an effect
				require.Empty(t, row["setting.lr"]+row["setting.vectors"])
			} else {
				require.Equal(t, r.Config.Setting("lr"), row["setting.lr"])
			}
		}
	}
	require.Len(t, rows, n)
	last := rows[n-1]
	require.Equal(t, []string{"nbsvm", "baseline", `counts "n-grams", fast`}, []string{last["experiment"], last["tags"], last["note"]})
	require.True(t, strings.HasPrefix(last["cite"], "imdbexp:nbsvm/"))

	var objects []map[string]any
	require.NoError(t, json.Unmarshal([]byte(exp("report", "--tidy", "--format", "json")), &objects))
	require.Len(t, objects, n)
	require.ElementsMatch(t, head, slices.Collect(maps.Keys(objects[0])))
	require.Nil(t, objects[0]["test_bleu"])
	tsv := strings.ReplaceAll(exp("report", "--tidy", "--format", "tsv", "--where", "tag!=baseline"), "\t", ",")
	require.True(t, strings.HasSuffix(tsv, "\n") && strings.HasPrefix(table, strings.Split(tsv, "\n")[0][:100]))
	require.NotContains(t, tsv, "nbsvm")

	file := filepath.Join(t.TempDir(), "runs.csv")
	require.NoError(t, os.WriteFile(file, []byte(table), 0o666))
	readByPython(t, filepath.Dir(file), all)
}

// named returns the head of a table and its rows by column.
func named(table [][]string) (head []string, rows []map[string]string) {
	for _, line := range table[1:] {
		row := map[string]string{}
		for i, name := range table[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return table[0], rows
}

// trackers are modules with the functions of the trackers that docs/formats.md uses. They are as
// strict as the real ones about names and types, and note each number.
const trackers = `
import json, re, sys, types
noted = []
def note(tracker, name, metrics, step):
    assert type(step) is int and all(type(x) is float for x in metrics.values()), (metrics, step)
    assert all(re.fullmatch(r"[/\w.\- ]+", k) for k in metrics), metrics
    noted.append([tracker, name, step, metrics])
class SummaryWriter:
    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""): self.name = log_dir.removeprefix("board/")
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None): note("tensorboard", self.name, {tag: scalar_value}, global_step)
class Run:
    def __init__(self, tracker, name, config=None):
        self.tracker, self.name = tracker, name
        assert config is None or "seed" in config and all(type(v) is str for v in config.values())
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def log(self, data, step=None): note(self.tracker, self.name, data, step)
current = []
def start_run(run_id=None, experiment_id=None, run_name=None): current[:] = [Run("mlflow", run_name)]; return current[0]
def log_params(params): assert "seed" in params
def log_metrics(metrics, step=None): current[0].log(metrics, step)
def init(project, name=None, config=None): current[:] = [Run("trackio", name, config)]; return current[0]
def finish(): current.clear()
def module(name, **names): sys.modules[name] = types.ModuleType(name); sys.modules[name].__dict__.update(names)
module("torch"); module("torch.utils"); module("torch.utils.tensorboard", SummaryWriter=SummaryWriter)
module("mlflow", start_run=start_run, log_params=log_params, log_metrics=log_metrics)
module("wandb", init=lambda project=None, name=None, config=None: Run("wandb", name, config))
module("trackio", init=init, log=lambda metrics, step=None: current[0].log(metrics, step), finish=finish)
`

// readByPython runs the Python of docs/formats.md about the tidy table: the lines of pandas if it is
// there, and those of the trackers, which need the csv module alone.
func readByPython(t *testing.T, dir string, want map[string]map[string]float64) {
	var python string
	pandas := false
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(p); err == nil {
			python = path
			if pandas = exec.Command(path, "-c", "import pandas").Run() == nil; pandas {
				break
			}
		}
	}
	if python == "" {
		t.Log("there is no python3: the lines of docs/formats.md have not been run")
		return
	}
	text := string(must.Get(os.ReadFile("../../docs/formats.md"))(t))
	_, text, found := strings.Cut(text, "\n## A tidy table\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "\n## Slices\n")
	program := trackers
	blocks := strings.Split(text, "```python\n")[1:]
	require.Len(t, blocks, 6)
	if pandas {
		program += "import pandas as pd\n"
	} else {
		t.Log("there is no pandas: the lines that need it have not been run")
		blocks = blocks[1:]
	}
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		program += code
	}
	if pandas {
		program += "assert len(tidy) == " + strconv.Itoa(len(want)) + " and tidy.counts.dtype == bool and tidy.train_loss.dtype == float, tidy.dtypes\n" +
			"assert tidy.id.str.len().eq(12).all()\n"
	}
	program += "json.dump(noted, sys.stdout)\n"
	cmd := exec.Command(python, "-c", program)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	var noted [][]json.RawMessage
	require.NoError(t, json.Unmarshal(out, &noted))
	got := map[string]map[string]map[string]float64{}
	for _, line := range noted {
		var tracker, name string
		var epoch int
		var metrics map[string]float64
		for i, to := range []any{&tracker, &name, &epoch, &metrics} {
			require.NoError(t, json.Unmarshal(line[i], to))
		}
		if got[tracker] == nil {
			got[tracker] = map[string]map[string]float64{}
		}
		at := fmt.Sprintf("%s %d", name, epoch)
		if got[tracker][at] == nil {
			got[tracker][at] = map[string]float64{}
		}
		maps.Copy(got[tracker][at], metrics)
	}
	for _, tracker := range []string{"tensorboard", "mlflow", "wandb", "trackio"} {
		require.Equal(t, want, got[tracker], tracker)
	}
}
