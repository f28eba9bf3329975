package slurm

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/yamltext"
)

// newer reports whether job a was submitted after job b: IDs grow. "" comes before all.
func newer(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// Options are the resources that a grid requests from Slurm. They do not change results. sbatch
// checks the values and uses its own defaults for empty ones.
type Options struct {
	Partition string   `yaml:"partition"`
	Time      string   `yaml:"time"`   // limit of a task: 90m, 2h, or as Slurm writes it
	Memory    string   `yaml:"memory"` // of a task: 4G, 500M
	CPUs      int      `yaml:"cpus"`   // cores of a task (default 1)
	Account   string   `yaml:"account"`
	AtOnce    int      `yaml:"at-once"` // tasks that may run at a time
	Margin    int      `yaml:"margin"`  // seconds before the time limit at which a task stops (default 60)
	Exp       string   `yaml:"exp"`     // the program on the nodes (default: this one)
	Setup     []string `yaml:"setup"`   // lines of bash before each task: module load …
	Extra     []string `yaml:"options"` // other options of sbatch: --constraint=avx512
}

// ParseOptions reads a slurm.yaml. An error names the line.
func ParseOptions(file string, b []byte) (Options, error) {
	var o Options
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&o); err != nil && !errors.Is(err, io.EOF) { // io.EOF: nothing but comments
		return Options{}, yamltext.Error(file, b, err)
	}
	if err := o.Check(); err != nil {
		return Options{}, fmt.Errorf("%s: %w", file, err)
	}
	return o, nil
}

// Over returns o with its empty values replaced by those in base.
func (o Options) Over(base Options) Options {
	return Options{
		Partition: cmp.Or(o.Partition, base.Partition), Time: cmp.Or(o.Time, base.Time), Memory: cmp.Or(o.Memory, base.Memory),
		CPUs: cmp.Or(o.CPUs, base.CPUs), Account: cmp.Or(o.Account, base.Account), AtOnce: cmp.Or(o.AtOnce, base.AtOnce),
		Margin: cmp.Or(o.Margin, base.Margin), Exp: cmp.Or(o.Exp, base.Exp),
		Setup: slices.Concat(base.Setup, o.Setup), Extra: slices.Concat(base.Extra, o.Extra),
	}
}

// Check returns an error for a wrong number or time; sbatch checks the other values.
func (o Options) Check() error {
	if o.CPUs < 0 || o.AtOnce < 0 || o.Margin < 0 {
		return errors.New("cpus, at-once and margin must be positive")
	}
	_, err := timeLimit(o.Time)
	return err
}

var slurmTime = regexp.MustCompile(`^([0-9]+-)?[0-9]+(:[0-9]+){0,2}$`)

// timeLimit returns a time limit as Slurm writes it: 2h becomes 02:00:00.
func timeLimit(text string) (string, error) {
	if text == "" || slurmTime.MatchString(text) {
		return text, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second {
		return "", fmt.Errorf("time %q: want 90m, 2h30m, or Slurm's minutes, HH:MM:SS or D-HH:MM:SS", text)
	}
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60), nil
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
	s.Options = s.Options.Over(Options{CPUs: 1, Margin: 60})
	limit, _ := timeLimit(s.Time) // Check has passed
	directives := []string{
		// Slurm unquotes a name in quotes; %A is the array, %a the task.
		`--output="` + strings.ReplaceAll(filepath.Join(s.Dir, logFolder), "%", "%%") + `/%A_%a.log"`,
		"--open-mode=append", // a requeued task continues its log
		"--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", s.Margin),
		"--ntasks=1",
		fmt.Sprintf("--cpus-per-task=%d", s.CPUs),
	}
	for _, o := range []struct{ flag, value string }{
		{"partition", s.Partition}, {"time", limit}, {"mem", s.Memory}, {"account", s.Account},
	} {
		if o.value != "" {
			directives = append(directives, "--"+o.flag+"="+o.value)
		}
	}
	directives = append(directives, s.Extra...)
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
