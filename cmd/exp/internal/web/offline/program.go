package offline

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"imdbexp/internal/fsx"
)

// Program is the program that answers questions, compiled for browsers.
type Program struct {
	Wasm   []byte // WebAssembly, compressed by gzip
	Script []byte // wasm_exec.js of Go, which starts it
}

// Files of a program in the folder built, which a build with -tags page embeds.
const (
	wasmFile   = "exp.wasm.gz"
	scriptFile = "wasm_exec.js"
)

const command = "./cmd/exp/internal/web/offline/wasm"

// ErrNoProgram is the error if the program is not built in and cannot be built.
var ErrNoProgram = errors.New("the page needs exp as WebAssembly, and this exp has it not built in and finds no checkout to build it from: " +
	"use a release, or run the command in a checkout with Go installed")

// Find returns the program that is built in. Otherwise it builds the program from the checkout
// that this exp was compiled from, or that the working folder is in.
func Find(ctx context.Context) (*Program, error) {
	if p, err := builtIn(); p != nil || err != nil {
		return p, err
	}
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Build(ctx, root)
	}
	sum, err := sources(ctx, root)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "exp", "page-"+sum[:16])
	if p, err := load(dir); err == nil {
		return p, nil
	}
	p, err := Build(ctx, root)
	if err != nil {
		return nil, err
	}
	p.Save(dir) // if it fails, the next page is built again
	return p, nil
}

// checkout returns the root of the sources.
func checkout() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	starts := []string{filepath.Dir(file)}
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	for _, dir := range starts {
		for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			text, err := fsx.ReadFile(filepath.Join(dir, "go.mod"), 1<<20)
			if err == nil && strings.HasPrefix(string(text), "module imdbexp\n") {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", ErrNoProgram
}

// tool runs Go for the browser's platform in the checkout.
func tool(ctx context.Context, root string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%w (there is a checkout in %s, but no Go)", ErrNoProgram, root)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("go %s in %s: %w\n%s", args[0], root, err, strings.TrimSpace(problems.String()))
	}
	return out.Bytes(), nil
}

// sources returns the digest of all files that the program is built from.
func sources(ctx context.Context, root string) (string, error) {
	list, err := tool(ctx, root, "list", "-deps", "-f", `{{if not .Standard}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}`, command)
	if err != nil {
		return "", err
	}
	version, err := tool(ctx, root, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(version)
	for file := range strings.Lines(string(list)) {
		f, err := os.Open(strings.TrimSpace(file))
		if err != nil {
			return "", err
		}
		fmt.Fprint(h, filepath.Base(f.Name()), "\n")
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Build compiles the program from a checkout.
func Build(ctx context.Context, root string) (*Program, error) {
	dir, err := os.MkdirTemp("", "exp-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "exp.wasm")
	if _, err := tool(ctx, root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, command); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	goRoot, err := tool(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	p := &Program{}
	for _, folder := range []string{"lib", "misc"} { // since Go 1.24, and before
		p.Script, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(goRoot)), folder, "wasm", scriptFile))
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("this installation of Go lacks the file that starts WebAssembly: %w", err)
	}
	p.Wasm, err = packed(wasm)
	return p, err
}

// packed compresses bytes, always to the same result.
func packed(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// Save keeps the program's files in a folder.
func (p *Program) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, b := range map[string][]byte{scriptFile: p.Script, wasmFile: p.Wasm} {
		err := fsx.WriteFile(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// load reads what Save kept.
func load(dir string) (*Program, error) {
	const most = 64 << 20
	wasm, err := fsx.ReadFile(filepath.Join(dir, wasmFile), most)
	if err != nil {
		return nil, err
	}
	script, err := fsx.ReadFile(filepath.Join(dir, scriptFile), most)
	return &Program{wasm, script}, err
}
