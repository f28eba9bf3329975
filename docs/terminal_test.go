package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// printing is what would go to the terminal past internal/term, or make styles of its own.
var printing = regexp.MustCompile(`\bos\.Std(out|err)\b|\bfmt\.Print(f|ln)?\(|\blog\.(Print|Fatal|Panic)|\\x1b|\\033|\\u001b`)

// No part of the program but internal/term writes to the terminal.
func TestOneWayToTheTerminal(t *testing.T) {
	outside := []string{"../internal/term/", "../internal/simd/", "../scripts/", "../cmd/exp/internal/web/offline/embed/"} // generators and tools are no part of it
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, o := range outside {
			if strings.HasPrefix(path, o) {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if code, _, _ := strings.Cut(line, "//"); printing.MatchString(code) {
				assert.Fail(t, "prints past internal/term", "%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	}))
}
