package docs_test

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
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// All packages and their tests have correct types on other systems. Their sources are read, which takes 5 CPU
// seconds for a system; a build takes 130 to 220, most of them for dependencies.
func TestOtherSystems(t *testing.T) {
	if os.Getenv("EXP_CI") == "" {
		t.Skip("reads all dependencies for four systems: EXP_CI=1 does")
	}
	for _, target := range []string{"linux/arm64", "linux/riscv64", "darwin/arm64", "windows/amd64"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			system, processor, _ := strings.Cut(target, "/")
			list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
			list.Dir, list.Env = "..", append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
			packages := json.NewDecoder(strings.NewReader(string(must.Get(list.Output())(t))))
			known, own := checked{"unsafe": types.Unsafe}, 0
			for {
				var p listed
				if err := packages.Decode(&p); errors.Is(err, io.EOF) {
					break
				} else {
					require.NoError(t, err)
				}
				if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the main of a test is generated
					continue
				}
				if p.Module != nil && p.Module.Main {
					own++
				}
				known.check(t, &p, processor)
			}
			require.Greater(t, own, 100)
		})
	}
}

// listed is a package of go list.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// checked are the packages checked so far. go list has dependencies first.
type checked map[string]*types.Package

// check checks the types of a package of this module. Of a dependency it reads only what it exports.
func (c checked) check(t *testing.T, p *listed, processor string) {
	own := p.Module != nil && p.Module.Main
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		files = append(files, must.Get(parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t))
	}
	config := types.Config{Importer: imports{c, p}, IgnoreFuncBodies: !own, Sizes: types.SizesFor("gc", processor), Error: func(err error) {
		if own {
			assert.NoError(t, err)
		}
	}}
	c[p.ImportPath], _ = config.Check(p.ImportPath, set, files, nil)
}

// imports finds the imports of a package.
type imports struct {
	checked
	of *listed
}

func (i imports) Import(path string) (*types.Package, error) {
	if to, ok := i.of.ImportMap[path]; ok {
		path = to
	}
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("go list lacks %s", path)
}
