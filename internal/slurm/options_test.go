package slurm_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/slurm"
	"imdbexp/internal/testkit/must"
)

func TestParseOptions(t *testing.T) {
	base := must.Get(slurm.ParseOptions("slurm.yaml", []byte(`
partition: long
time: 1:30:00
memory: 4G
cpus: 2
at-once: 8
setup: [module load gcc]
options: [--constraint=avx512]
`)))(t)
	got := slurm.Options{Partition: "short", CPUs: 4, Setup: []string{"ulimit -v 1"}}.Over(base)
	assert.Equal(t, slurm.Options{Partition: "short", Time: "1:30:00", Memory: "4G", CPUs: 4, AtOnce: 8,
		Setup: []string{"module load gcc", "ulimit -v 1"}, Extra: []string{"--constraint=avx512"}}, got)

	empty := must.Get(slurm.ParseOptions("slurm.yaml", []byte("# nothing yet\n")))(t)
	assert.Equal(t, slurm.Options{}, empty)
}

func TestParseOptionsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"cpus: 2\nparttion: main": `f.yaml:2: unknown field "parttion"`,
		"cpus: many":              "f.yaml:1: cannot unmarshal",
		"cpus: 1\npartition: [a":  "f.yaml:2: did not find expected ',' or ']'",
		"time: soon":              `time "soon": want 90m`,
		"cpus: -1":                "must be positive",
	} {
		_, err := slurm.ParseOptions("f.yaml", []byte(text))
		require.ErrorContains(t, err, want, text)
		assert.Contains(t, err.Error(), "f.yaml")
	}
}

func TestScript(t *testing.T) {
	s := slurm.Script{Dir: "/home/a b/runs/.slurm/1", Runs: "/home/a b/runs", Data: "/da'ta", Every: 2 * time.Minute,
		Options: slurm.Options{Exp: "/bin/exp", Partition: "main", Time: "90m", Memory: "4G", CPUs: 2, Setup: []string{"module load x"}, Extra: []string{"--nice"}}}
	text := must.Get(s.Text())(t)
	head, _, _ := strings.Cut(string(text), "# One task")
	assert.Equal(t, `#!/bin/bash
#SBATCH --output="/home/a b/runs/.slurm/1/log/%A_%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --partition=main
#SBATCH --time=01:30:00
#SBATCH --mem=4G
#SBATCH --nice
`, head)
	assert.Contains(t, string(text), `'/bin/exp' run "$@" --runs '/home/a b/runs' --data-dir '/da'\''ta' --workers 2 --checkpoint-every 2m0s &`)
	assert.Contains(t, string(text), "\nmodule load x\n")
	if bash, err := exec.LookPath("bash"); err == nil {
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(string(text))
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, string(out))
	}

	for given, want := range map[string]string{"": "", "30": "30", "1-12": "1-12", "2h": "02:00:00", "26h30m": "26:30:00", "90s": "00:01:30"} {
		s.Options = slurm.Options{Time: given}
		text := must.Get(s.Text())(t)
		assert.Equal(t, want != "", strings.Contains(string(text), "--time="+want+"\n"), given)
	}
	s.Options = slurm.Options{Time: "500ms"}
	assert.Error(t, must.Fail(s.Text()))
}
