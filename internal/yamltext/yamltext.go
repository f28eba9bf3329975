// Package yamltext adds file:line to errors in a YAML text, with lines counted from 1.
package yamltext

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	lineNumber   = regexp.MustCompile(`^line (\d+): `)
	unknownField = regexp.MustCompile(`(?s)^field (.*) not found in type .*`)
)

// Error formats an error of the YAML package about the text b, one "file:line: problem" per
// line.
func Error(file string, b []byte, err error) error {
	lines := []string{err.Error()}
	if e, ok := errors.AsType[*yaml.TypeError](err); ok {
		lines = e.Errors
	}
	errs := make([]error, len(lines))
	for i, text := range lines {
		text, line, at := strings.TrimPrefix(text, "yaml: "), 0, file
		if m := lineNumber.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = text[len(m[0]):]
		}
		if line = cmp.Or(brokenBy(b, text), line); line > 0 {
			at = fmt.Sprintf("%s:%d", file, line)
		}
		if m := unknownField.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("unknown field %q", m[1])
		}
		errs[i] = fmt.Errorf("%s: %s", at, text)
	}
	return errors.Join(errs...)
}

// mostTried is the maximum number of bytes parsed to find a line.
const mostTried = 1 << 21

// brokenBy returns the line where a text stops being valid YAML, for the given reason; 0 for valid
// YAML and for long texts. The YAML package counts the lines of some errors from 0 and gives
// none for others. For many it gives the line where the enclosing mapping begins, which may be
// the first line of the text.
func brokenBy(b []byte, what string) int {
	lines := strings.SplitAfter(string(b), "\n")
	n, tried := len(lines), 0
	for end := len(b); n > 0; n-- {
		if tried += end; tried > mostTried {
			return 0
		}
		err := yaml.Unmarshal(b[:end], new(yaml.Node))
		if err == nil || !strings.HasSuffix(err.Error(), what) {
			break
		}
		end -= len(lines[n-1])
	}
	if n == len(lines) {
		return 0
	}
	return n + 1
}
