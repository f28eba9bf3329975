// Command typecheck checks the types of all packages and their tests for other systems, from source:
//
//	go run ./scripts/typecheck darwin/arm64 windows/amd64
//
// It takes a tenth of the time of a build, which would compile all dependencies. It must be run in the
// root of a checkout.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	for _, target := range os.Args[1:] {
		if err := check(target); err != nil {
			fmt.Fprintf(os.Stderr, "typecheck %s: %v\n", target, err)
			os.Exit(1)
		}
	}
}

// listed is a package of go list.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// known are the packages checked so far, with the import map of the one being checked.
type known struct {
	packages map[string]*types.Package
	renamed  map[string]string
}

func (k *known) Import(path string) (*types.Package, error) {
	if to, ok := k.renamed[path]; ok {
		path = to
	}
	if p := k.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not in the list", path)
}

// check checks the packages for a target such as darwin/arm64, dependencies first.
func check(target string) error {
	system, processor, _ := strings.Cut(target, "/")
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	k := known{packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	var problems []error
	for packages := json.NewDecoder(out); ; {
		var p listed
		if err := packages.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the main of a test is generated
			continue
		}
		found, err := k.check(&p, processor)
		if err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	return errors.Join(errors.Join(problems...), list.Wait())
}

// check checks a package. It returns the mistakes of this module's packages; of dependencies only
// what they export is read.
func (k *known) check(p *listed, processor string) (problems []error, err error) {
	own := p.Module != nil && p.Module.Main
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	k.renamed = p.ImportMap
	c := types.Config{Importer: k, IgnoreFuncBodies: !own, FakeImportC: true, Sizes: types.SizesFor("gc", processor), Error: func(err error) {
		if own {
			problems = append(problems, err)
		}
	}}
	k.packages[p.ImportPath], _ = c.Check(p.ImportPath, set, files, nil)
	return problems, nil
}
