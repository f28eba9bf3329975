package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"imdbexp/internal/fsx"
)

// Environment describes the process and the machine of one session of a run. A session begins
// when the run starts or resumes. Nothing in it changes the result.
type Environment struct {
	Started  time.Time         `json:"started"`
	Version  string            `json:"version"`            // of this module
	Revision string            `json:"revision,omitempty"` // of the working tree, "+" when changed
	Go       string            `json:"go"`
	Modules  map[string]string `json:"modules,omitempty"` // gorgonia's versions
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
		if strings.HasPrefix(m.Path, "gorgonia.org/") { // another version may change results
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
	if err = unmarshal(b, &f); err != nil && f.Format <= Format { // a newer format may have other fields
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

// Remarks are the user's note and tags of a run. They have their own file in the run's folder: no
// ID, digest or comparison of runs depends on them.
type Remarks struct {
	Note string   `json:"note"`
	Tags []string `json:"tags"` // sorted
}

// maxRemarks is the maximum size of the file in bytes.
const maxRemarks = 64 << 10

var tagPattern = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN._+:/-]*$`)

// Check returns an error for remarks that do not fit in a line of a table.
func (m *Remarks) Check() error {
	if !utf8.ValidString(m.Note) || strings.ContainsFunc(m.Note, unicode.IsControl) || utf8.RuneCountInString(m.Note) > 1000 {
		return fmt.Errorf("the note %.100q must be one line of at most 1000 characters, without tabs and other control characters", m.Note)
	}
	for _, tag := range m.Tags {
		if !tagPattern.MatchString(tag) || utf8.RuneCountInString(tag) > 50 {
			return fmt.Errorf("tag %q: use a word of letters, digits and . _ + - : /, at most 50", tag)
		}
	}
	return nil
}

// Add adds tags that are not there yet, in order.
func (m *Remarks) Add(tags ...string) {
	m.Tags = append(m.Tags, tags...)
	slices.Sort(m.Tags)
	m.Tags = slices.Compact(m.Tags)
}

// Remarks reads the note and the tags of the run. Without the file there are none.
func (r *Run) Remarks() (Remarks, error) {
	none := Remarks{Tags: []string{}} // not null in JSON
	b, err := r.folder().ReadFile(remarksFile, maxRemarks)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	m := none
	if err == nil {
		if err = cmp.Or(unmarshal(b, &m), m.Check()); err != nil {
			err = fmt.Errorf("%s: %w; correct or remove the file", r.file(remarksFile), err)
		}
	}
	if err != nil {
		return none, err
	}
	return m, nil
}

// unmarshal decodes JSON. An unknown field is an error.
func unmarshal(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// Remark changes the note and the tags of the run, which may be in training. Concurrent changes
// are made one after the other.
func (r *Run) Remark(change func(*Remarks)) (err error) {
	lock, err := r.folder().Acquire(remarksLock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Remove()) }()
	m, err := r.Remarks()
	if err != nil {
		return err
	}
	change(&m)
	if err := m.Check(); err != nil {
		return err
	}
	if m.Note == "" && len(m.Tags) == 0 {
		return r.folder().Remove(remarksFile)
	}
	return r.folder().WriteFile(remarksFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(m) })
}
