package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is one dependency.
type module struct {
	path, version string
	dir           string
	linked        bool // into exp, on one of the platforms at least
	files         []licence
}

// licence is a file with a licence or a notice.
type licence struct {
	name string // within the module
	ids  []string
	text string
}

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// licenceFile matches the names of files that hold licences.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|notice|patents|copyright)([-.].*)?$`)

// modules returns what exp is built from on any platform, and what its tests need on
// this one, by path, with the standard library first.
func modules() ([]*module, error) {
	all := map[string]*module{}
	folders := map[string][]string{} // of packages, by module
	add := func(linked bool, lines string) {
		for line := range strings.Lines(lines) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 4 {
				continue
			}
			m := all[f[0]]
			if m == nil {
				m = &module{path: f[0], version: f[1], dir: f[2]}
				all[f[0]] = m
			}
			m.linked = m.linked || linked
			folders[f[0]] = append(folders[f[0]], f[3])
		}
	}
	for _, p := range platforms {
		system, arch, _ := strings.Cut(p, "/")
		lines, err := list([]string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0"}, "./cmd/exp")
		if err != nil {
			return nil, err
		}
		add(true, lines)
	}
	lines, err := list(nil, "-test", "./...")
	if err != nil {
		return nil, err
	}
	add(false, lines)

	out := slices.SortedFunc(maps.Values(all), func(a, b *module) int { return cmp.Compare(a.path, b.path) })
	root, err := goRoot()
	if err != nil {
		return nil, err
	}
	out = append([]*module{{path: "Go's standard library", version: runtime.Version(), dir: root, linked: true}}, out...)
	for _, m := range out {
		if err := m.read(folders[m.path]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// list runs go list on packages and their dependencies.
func list(env []string, args ...string) (string, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}`
	return goCommand(env, append([]string{"list", "-deps", "-f", format}, args...)...)
}

func goRoot() (string, error) {
	root, err := goCommand(nil, "env", "GOROOT")
	return strings.TrimSpace(root), err
}

func goCommand(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// read collects the licences in the folders of the packages in use, in the folders above
// them up to the module's root, and in the module's folder of licences.
func (m *module) read(packages []string) error {
	dirs := map[string]bool{m.dir: true}
	for _, p := range packages {
		for ; len(p) > len(m.dir); p = filepath.Dir(p) {
			dirs[p] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := m.readFolder(dir); err != nil {
			return err
		}
	}
	for _, f := range m.files {
		if len(f.ids) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s %s: no licence is recognised in %s: add its licence to detect.go", m.path, m.version, m.dir)
}

func (m *module) readFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !licenceFile.MatchString(e.Name()) || filepath.Ext(path) == ".go":
		case e.IsDir():
			texts, err := filepath.Glob(filepath.Join(path, "*.txt"))
			if err != nil {
				return err
			}
			for _, t := range texts {
				if err := m.add(t); err != nil {
					return err
				}
			}
		default:
			if err := m.add(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *module) add(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(m.dir, path)
	if err != nil {
		return err
	}
	m.files = append(m.files, licence{filepath.ToSlash(name), detect(string(b)), strings.ReplaceAll(string(b), "\r\n", "\n")})
	return nil
}

// ids returns the licences of a module, each once, in the order of its files.
func (m *module) ids() []string {
	var out []string
	for _, f := range m.files {
		for _, id := range f.ids {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}
