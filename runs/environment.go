package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

// Environment describes the process and the machine of one session of a run. A session begins
// when the run starts or resumes. Nothing in it changes the result.
type Environment struct {
	Started  time.Time         `json:"started"`
	Version  string            `json:"version"`            // of this module
	Revision string            `json:"revision,omitempty"` // of the working tree, "+" when changed
	Go       string            `json:"go"`
	Modules  map[string]string `json:"modules,omitempty"` // the engine's versions
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	CPU      string            `json:"cpu"`
	SIMD     string            `json:"simd"`
	Workers  int               `json:"workers"`
	Host     string            `json:"host,omitempty"`
	Digests  map[string]string `json:"digests,omitempty"` // of the data read
	Command  []string          `json:"command"`
	Seconds  float64           `json:"seconds,omitempty"` // of the session, reading data included; 0 if unknown
}

// Seconds returns the time of all sessions of a run, reading data and training word vectors
// included. It is NaN if one session's time is unknown.
func Seconds(sessions []Environment) float64 {
	sum := 0.0
	for _, e := range sessions {
		if !(e.Seconds > 0) {
			return math.NaN()
		}
		sum += e.Seconds
	}
	return sum / min(1, float64(len(sessions))) // NaN without a session
}

type environmentJSON struct {
	Format   int           `json:"format"`
	Sessions []Environment `json:"sessions"` // one for each start or resumption
}

// engine lists the modules that compute: their versions are noted in case one of them changes a result.
var engine = []string{"gorgonia.org/gorgonia", "gorgonia.org/tensor"}

// NewEnvironment describes this process and machine; simd is the level of the kernels.
func NewEnvironment(simd string, workers int, digests map[string]string) Environment {
	e := Environment{
		Started: time.Now().UTC().Truncate(time.Millisecond),
		Go:      runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(),
		SIMD: simd, Workers: workers, Digests: digests, Command: os.Args, Modules: map[string]string{},
	}
	e.Host, _ = os.Hostname()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	e.Version = info.Main.Version
	for _, s := range info.Settings { // the revision comes before whether it is modified
		switch {
		case s.Key == "vcs.revision":
			e.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true" && e.Revision != "":
			e.Revision += "+"
		}
	}
	for _, m := range info.Deps {
		if slices.Contains(engine, m.Path) {
			e.Modules[m.Path] = m.Version
		}
	}
	return e
}

// Build names the program: its version, or that it was built from source, and its revision if that is known.
func (e Environment) Build() string {
	out, revision := e.Version, e.Revision[:min(12, len(e.Revision))]
	if out == "" || out == "(devel)" {
		out = "built from source"
	}
	if revision != "" && !strings.Contains(out, revision) {
		out += ", revision " + revision
	}
	return out
}

var modelName = regexp.MustCompile(`(?m)^(?:model name|Model)\s*:\s*(.+)$`)

// cpuName returns the name of the processor, from a file on Linux and a variable on Windows.
func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if m := modelName.FindSubmatch(b); err == nil && m != nil {
		return string(m[1])
	}
	return cmp.Or(os.Getenv("PROCESSOR_IDENTIFIER"), runtime.GOARCH)
}

func readEnvironments(d fsx.Dir) ([]Environment, error) {
	path := d.Path(environmentFile)
	b, err := d.ReadFile(environmentFile, maxEnvironment)
	if err != nil {
		return nil, err
	}
	var f environmentJSON
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&f); err != nil && f.Format <= Format { // a newer format may have other fields
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f.Sessions, checkFormat(path, f.Format)
}

func writeEnvironments(d fsx.Dir, sessions []Environment) error {
	b, err := json.MarshalIndent(environmentJSON{Format, sessions}, "", "  ")
	if err != nil {
		return err
	}
	return d.WriteBytes(environmentFile, append(b, '\n'))
}

// Took records the time of this session, reading data included.
func (w *Writer) Took(seconds float64) error {
	all, err := readEnvironments(w.in)
	if err != nil || len(all) == 0 {
		return err
	}
	all[len(all)-1].Seconds = seconds
	return writeEnvironments(w.in, all)
}
