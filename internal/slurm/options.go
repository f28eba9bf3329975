package slurm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"imdbexp/internal/settings"
	"imdbexp/internal/yamltext"
)

// Options are what a grid asks of Slurm. None of them changes a result. What is
// empty or 0 is left to Slurm, but for those with a default.
type Options struct {
	Partition string   `yaml:"partition"`
	Time      string   `yaml:"time"`    // limit of a task: 90m, 2h, or Slurm's D-HH:MM:SS and minutes
	Memory    string   `yaml:"memory"`  // of a task: 4G, 500M
	CPUs      int      `yaml:"cpus"`    // cores of a task (default 1)
	Account   string   `yaml:"account"` // who pays
	QOS       string   `yaml:"qos"`
	AtOnce    int      `yaml:"at-once"` // tasks that may run at a time
	Margin    int      `yaml:"margin"`  // seconds before the time limit at which a task stops (default 60)
	Exp       string   `yaml:"exp"`     // the program on the nodes (default: this one)
	Setup     []string `yaml:"setup"`   // lines of bash before each task: module load …
	Extra     []string `yaml:"options"` // further options of sbatch: --constraint=avx512
}

// Defaults.
const (
	defaultCPUs   = 1
	defaultMargin = 60
)

const maxMargin = 65535 // of sbatch --signal

// ParseOptions reads a slurm.yaml. The error says what is wrong on which line.
func ParseOptions(file string, b []byte) (Options, error) {
	var o Options
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return o, yamltext.Error(file, b, err)
	}
	if len(doc.Content) == 0 { // nothing but comments
		return o, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return o, fmt.Errorf("%s: want lines of the form key: value, such as partition: main", file)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if k := root.Content[i]; !slices.Contains(optionKeys, k.Value) {
			return o, fmt.Errorf("%s:%d: unknown key %q%s; known are %s", file, k.Line, k.Value,
				settings.Nearest(k.Value, optionKeys), strings.Join(optionKeys, ", "))
		}
	}
	if err := root.Decode(&o); err != nil {
		return Options{}, yamltext.Error(file, b, err)
	}
	if err := o.Check(); err != nil {
		return Options{}, fmt.Errorf("%s: %w", file, err)
	}
	return o, nil
}

var optionKeys = []string{"partition", "time", "memory", "cpus", "account", "qos", "at-once", "margin", "exp", "setup", "options"}

// Over returns o, with what is not given there taken from base.
func (o Options) Over(base Options) Options {
	or := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	num := func(a, b int) int {
		if a != 0 {
			return a
		}
		return b
	}
	return Options{
		Partition: or(o.Partition, base.Partition), Time: or(o.Time, base.Time), Memory: or(o.Memory, base.Memory),
		CPUs: num(o.CPUs, base.CPUs), Account: or(o.Account, base.Account), QOS: or(o.QOS, base.QOS),
		AtOnce: num(o.AtOnce, base.AtOnce), Margin: num(o.Margin, base.Margin), Exp: or(o.Exp, base.Exp),
		Setup: slices.Concat(base.Setup, o.Setup), Extra: slices.Concat(base.Extra, o.Extra),
	}
}

// withDefaults fills in what has a default.
func (o Options) withDefaults() Options {
	return o.Over(Options{CPUs: defaultCPUs, Margin: defaultMargin})
}

var (
	memory    = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)
	slurmTime = regexp.MustCompile(`^([0-9]+-[0-9]+(:[0-9]+){0,2}|[0-9]+(:[0-9]+){0,2})$`)
	word      = regexp.MustCompile(`^[^\s'"\\$` + "`" + `]+$`)
)

// Check returns what is wrong with the options.
func (o Options) Check() error {
	var errs []error
	for _, f := range []struct{ name, value string }{{"partition", o.Partition}, {"account", o.Account}, {"qos", o.QOS}} {
		if f.value != "" && !word.MatchString(f.value) {
			errs = append(errs, fmt.Errorf("%s %q: want one plain word", f.name, f.value))
		}
	}
	if o.Memory != "" && !memory.MatchString(o.Memory) {
		errs = append(errs, fmt.Errorf("memory %q: want a number with K, M, G or T, such as 4G", o.Memory))
	}
	if _, err := limit(o.Time); err != nil {
		errs = append(errs, err)
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"cpus", o.CPUs}, {"at-once", o.AtOnce}, {"margin", o.Margin}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s %d: want 1 or more", f.name, f.value))
		}
	}
	if o.Margin > maxMargin {
		errs = append(errs, fmt.Errorf("margin %d: want at most %d seconds", o.Margin, maxMargin))
	}
	for _, e := range o.Extra {
		if !strings.HasPrefix(e, "-") || strings.ContainsAny(e, "\n\r") {
			errs = append(errs, fmt.Errorf("options: %q is no option of sbatch, such as --constraint=avx512", e))
		}
	}
	return errors.Join(errs...)
}

// limit returns a time limit as Slurm writes it: a duration with units is turned
// into HH:MM:SS, Slurm's own forms stay.
func limit(text string) (string, error) {
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
