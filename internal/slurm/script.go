package slurm

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/yamltext"
)

// Options are what exp needs to know of a grid, from slurm.yaml; sbatch has all the rest. They do not change
// results.
type Options struct {
	CPUs   int           `yaml:"cpus"`    // cores of a task
	AtOnce int           `yaml:"at-once"` // tasks that may run at a time; 0: no limit
	Margin int           `yaml:"margin"`  // seconds before the time limit at which a task stops
	Poll   time.Duration `yaml:"poll"`    // between two checks of the runs
	Exp    string        `yaml:"exp"`     // the program on the nodes; "": this one
	Setup  []string      `yaml:"setup"`   // lines of bash before each task: module load …
	Sbatch []string      `yaml:"options"` // options of sbatch: --time=2:00:00
}

// ParseOptions reads a slurm.yaml, "" for the defaults. An error names the line.
func ParseOptions(file string, b []byte) (Options, error) {
	o := Options{CPUs: 1, Margin: 60, Poll: 10 * time.Second}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&o); err != nil && !errors.Is(err, io.EOF) { // io.EOF: nothing but comments
		return o, fmt.Errorf("%w; options of sbatch are a list: options: [--time=2:00:00, --mem=4G]", yamltext.Error(file, b, err))
	}
	if o.CPUs < 1 || o.AtOnce < 0 || o.Margin < 0 || o.Poll < time.Millisecond {
		return o, fmt.Errorf("%s: cpus, at-once, margin and poll must be positive", file)
	}
	return o, nil
}

//go:embed job.sh.tmpl
var jobTemplate string

var job = template.Must(template.New("job.sh").Funcs(template.FuncMap{"quote": quote}).Parse(jobTemplate))

// Script has the values of a batch script. All paths are absolute, and the same on every node.
type Script struct {
	Options
	Dir  string // folder of the grid
	Runs string // folder of runs
	Data string // data folder

	Every time.Duration // between checkpoints in an epoch; 0 for none
}

// Text returns the script.
func (s Script) Text() ([]byte, error) {
	directives := append([]string{
		// Slurm unquotes a name in quotes; %A is the array, %a the task.
		`--output="` + strings.ReplaceAll(filepath.Join(s.Dir, logFolder), "%", "%%") + `/%A_%a.log"`,
		"--open-mode=append", // a requeued task continues its log
		"--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", s.Margin),
		"--ntasks=1",
		fmt.Sprintf("--cpus-per-task=%d", s.CPUs),
	}, s.Sbatch...)
	var out bytes.Buffer
	err := job.Execute(&out, struct {
		Script
		Directives        []string
		Stopped, TooShort int
	}{s, directives, exitStopped, exitTooShort})
	return out.Bytes(), err
}

// quote quotes a word for bash.
func quote(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }
