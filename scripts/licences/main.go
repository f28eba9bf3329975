// Command licences lists the modules that exp is built and tested with, and their licences, from the
// module cache. It replaces the table in docs/licences.md, or writes the texts of the licences of the
// linked modules, which must accompany a binary:
//
//	go run ./scripts/licences
//	go run ./scripts/licences -texts > LICENCES.txt
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// document has the table, below everything that a person writes.
const document = "docs/licences.md"

// platforms are those of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// module is one dependency.
type module struct {
	path, version string
	dir           string
	packages      []string // folders of the packages in use
	linked        bool     // into exp, on at least one platform
	files         []licence
}

// licence is a file with a licence or a notice.
type licence struct {
	name string // within the module
	ids  []string
	text string
}

func main() {
	texts := flag.Bool("texts", false, "write the texts of the licences of the modules linked into exp")
	flag.Parse()
	if err := run(*texts); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(texts bool) error {
	list, err := modules()
	if err != nil {
		return err
	}
	if texts {
		writeTexts(list)
		return nil
	}
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(string(old), "\n| module |")
	return os.WriteFile(document, []byte(head+"\n"+table(list)), 0o666)
}

// modules returns what exp is built from on any platform, and what its tests need on this one, by
// path, with the standard library first.
func modules() ([]*module, error) {
	root, err := goCommand("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	all := map[string]*module{}
	for _, platform := range append(platforms, "") { // "": this one, with the tests
		args := []string{"./cmd/exp"}
		if platform == "" {
			args = []string{"-test", "./..."}
		}
		lines, err := goList(platform, args...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(lines) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if all[f[0]] == nil {
				all[f[0]] = &module{path: f[0], version: f[1], dir: f[2]}
			}
			m := all[f[0]]
			m.linked = m.linked || platform != ""
			m.packages = append(m.packages, f[3])
		}
	}
	out := slices.SortedFunc(maps.Values(all), func(a, b *module) int { return cmp.Compare(a.path, b.path) })
	out = append([]*module{{path: "Go's standard library", version: runtime.Version(), dir: strings.TrimSpace(root), linked: true}}, out...)
	for _, m := range out {
		if err := m.read(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// goList returns a line for each package and its dependencies outside this module.
func goList(platform string, args ...string) (string, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}`
	return goCommand(platform, append([]string{"list", "-deps", "-f", format}, args...)...)
}

func goCommand(platform string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	if system, arch, ok := strings.Cut(platform, "/"); ok {
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out), nil
}

// licenceFile matches the names of files that hold licences, and of folders of them.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|notice|patents|copyright)([-.].*)?$`)

// read collects the licences in the folders of the packages in use, in the folders above them up to
// the module's root, and in the module's folder of licences.
func (m *module) read() error {
	dirs := map[string]bool{m.dir: true}
	for _, p := range m.packages {
		for ; len(p) > len(m.dir); p = filepath.Dir(p) {
			dirs[p] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, _ := os.ReadDir(dir) // a package of a test may have no folder
		for _, e := range entries {
			paths := []string{filepath.Join(dir, e.Name())}
			if e.IsDir() {
				paths, _ = filepath.Glob(paths[0] + "/*.txt")
			}
			if !licenceFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			for _, path := range paths {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				name := strings.TrimPrefix(filepath.ToSlash(path[len(m.dir):]), "/")
				m.files = append(m.files, licence{name, detect(string(b)), strings.ReplaceAll(string(b), "\r\n", "\n")})
			}
		}
	}
	if len(m.ids()) == 0 {
		return fmt.Errorf("%s %s: no licence is recognised in %s: add its licence to detect.go", m.path, m.version, m.dir)
	}
	return nil
}

// ids returns the licences of a module, each once, in the order of its files.
func (m *module) ids() (out []string) {
	for _, f := range m.files {
		for _, id := range f.ids {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// table returns the table of the document. It omits the version of Go, which the release determines.
func table(list []*module) string {
	out := "| module | version | licence | where |\n| --- | --- | --- | --- |\n"
	for i, m := range list {
		version, where := m.version, "tests"
		if m.linked {
			where = "exp"
		}
		if i == 0 {
			version = "–"
		}
		out += fmt.Sprintf("| %s | %s | %s | %s |\n", m.path, version, strings.Join(m.ids(), ", "), where)
	}
	return out
}

// writeTexts prints the licences of the modules linked into exp.
func writeTexts(list []*module) {
	fmt.Println("exp is built from the following, each under the licences that stand below it.")
	for _, m := range list {
		for _, f := range m.files {
			if m.linked {
				fmt.Printf("\n%s\n%s %s, %s\n\n%s\n", strings.Repeat("=", 80), m.path, m.version, f.name, strings.TrimSpace(f.text))
			}
		}
	}
}
