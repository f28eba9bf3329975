package slurm

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

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
	if err := s.Check(); err != nil {
		return nil, err
	}
	s.Options = s.Options.Over(Options{CPUs: 1, Margin: 60})
	limit, err := timeLimit(s.Time)
	if err != nil {
		return nil, err
	}
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
	err = job.Execute(&out, struct {
		Script
		Directives        []string
		Stopped, TooShort int
	}{s, directives, exitStopped, exitTooShort})
	return out.Bytes(), err
}

// quote quotes a word for bash.
func quote(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }
