package offline

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Program is the program that answers questions, compiled for browsers.
type Program struct {
	Wasm   []byte // WebAssembly, compressed by gzip
	Script []byte // wasm_exec.js of Go, which starts it
}

// Files of a program in the folder built, which a build with -tags page embeds.
const (
	WasmFile   = "exp.wasm.gz"
	ScriptFile = "wasm_exec.js"
)

const command = "imdbexp/cmd/exp/internal/web/offline/wasm"

// ErrNoProgram is the error if the program is not built in and cannot be built.
var ErrNoProgram = errors.New("the page needs exp as WebAssembly, and this exp has it not built in and finds no checkout to build it from: " +
	"use a release, or run the command in a checkout with Go installed")

// Find returns the program that is built in. Otherwise it builds the program from the checkout that
// the working folder is in, or that this exp was compiled from.
func Find(ctx context.Context) (*Program, error) {
	if p, err := builtIn(); p != nil || err != nil {
		return p, err
	}
	_, file, _, _ := runtime.Caller(0) // no folder in a build with -trimpath
	for _, dir := range []string{".", filepath.Dir(file)} {
		if _, err := tool(ctx, dir, "list", command); err == nil {
			return Build(ctx, dir)
		}
	}
	return nil, errors.Join(ctx.Err(), ErrNoProgram)
}

// tool runs Go for the browser's platform in a checkout.
func tool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Build compiles the program from a checkout. Go keeps what it has compiled and linked, so that a second
// page takes seconds.
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
	script, err := os.ReadFile(filepath.Join(goRoot, "lib", "wasm", ScriptFile))
	if err != nil {
		return nil, fmt.Errorf("this installation of Go lacks the file that starts WebAssembly: %w", err)
	}
	z, err := packed(wasm)
	return &Program{z, script}, err
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
