package slurm

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"strings"
	"sync"
	"text/template"
	"time"
)

//go:embed job.sh.tmpl
var jobTemplate string

var job = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("job.sh").Funcs(template.FuncMap{"quote": quote}).Parse(jobTemplate))
})

// Script is what the batch script of a grid says. All paths are absolute, and the
// same on every node.
type Script struct {
	Options
	Name string // of the job
	Dir  string // of the grid
	Runs string // folder of runs
	Data string // data folder

	Every time.Duration // between checkpoints inside an epoch, 0 for none
}

// Text returns the script.
func (s Script) Text() ([]byte, error) {
	s.Options = s.Options.withDefaults()
	directives, err := s.directives()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = job().Execute(&out, struct {
		Script
		Directives        []string
		Stopped, TooShort int
	}{s, directives, exitStopped, exitTooShort})
	return out.Bytes(), err
}

// directives returns the options of sbatch, without #SBATCH.
func (s Script) directives() ([]string, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	most, err := limit(s.Time)
	if err != nil {
		return nil, err
	}
	list := []string{
		"--job-name=" + s.Name,
		// Slurm unquotes a name in quotes; %A is the array, %a the task.
		`--output="` + strings.ReplaceAll(filepath.Join(s.Dir, logFolder), "%", "%%") + `/%A_%a.log"`,
		"--open-mode=append", // a task that goes on writes on
		"--requeue",
		"--signal=B:USR1@" + itoa(s.Margin),
		"--ntasks=1",
		"--cpus-per-task=" + itoa(s.CPUs),
	}
	for _, o := range []struct{ flag, value string }{
		{"partition", s.Partition}, {"time", most}, {"mem", s.Memory}, {"account", s.Account}, {"qos", s.QOS},
	} {
		if o.value != "" {
			list = append(list, "--"+o.flag+"="+o.value)
		}
	}
	return append(list, s.Extra...), nil
}

// quote quotes a word for bash.
func quote(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }
