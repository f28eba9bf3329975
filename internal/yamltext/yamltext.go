// Package yamltext says where a YAML text is wrong: as file:line, with the line that a reader
// counts.
package yamltext

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	unknownField = regexp.MustCompile(`(?s)line (\d+): field (.*) not found in type .*`)
	lineNumber   = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)
)

// Error formats an error of the YAML package about the text b, one "file:line: problem" per
// line.
func Error(file string, b []byte, err error) error {
	lines := []string{err.Error()}
	if e, ok := errors.AsType[*yaml.TypeError](err); ok {
		lines = e.Errors
	}
	errs := make([]error, len(lines))
	for i, l := range lines {
		if m := unknownField.FindStringSubmatch(l); m != nil {
			l = fmt.Sprintf("line %s: unknown field %q", m[1], m[2])
		}
		errs[i] = fmt.Errorf("%s: %s", file, strings.TrimPrefix(l, "yaml: "))
		if line, what := place(b, l); line > 0 {
			errs[i] = fmt.Errorf("%s:%d: %s", file, line, what)
		}
	}
	return errors.Join(errs...)
}

// place returns the line of an error, from 1, and its text without it; 0 where it has none.
func place(b []byte, text string) (line int, what string) {
	what = strings.TrimPrefix(text, "yaml: ")
	if m := lineNumber.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		what = text[len(m[0]):]
	}
	if n := brokenBy(b, what); n > 0 {
		line = n
	}
	return line, what
}

// mostTried bounds how many bytes are parsed to find a line.
const mostTried = 1 << 21

// brokenBy returns the line at which a text stops being YAML, for the given reason; 0
// if it is YAML, or too long. The package itself counts the lines of some errors from 0,
// leaves others without, and places many where the mapping begins in which they are, which
// may be the whole text.
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
