package stream

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckText refuses what is not text. where names the file and the entry.
func CheckText(where, text string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fmt.Errorf("%s: byte %d is NUL: this is not a text file", where, i+1)
	}
	if !utf8.ValidString(text) {
		for i, r := range text {
			if r != utf8.RuneError {
				continue
			}
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return fmt.Errorf("%s: byte %d is not UTF-8: convert the file, for example with iconv -t UTF-8", where, i+1)
			}
		}
	}
	return nil
}

// TooLong says that a review is longer than it may be.
func TooLong(limit int64) error {
	return fmt.Errorf("longer than %d bytes, the limit for one review", limit)
}

// Quote shows a name from an archive, which may hold anything.
func Quote(name string) string {
	if len(name) > 200 {
		name = name[:200] + "…"
	}
	return fmt.Sprintf("%q", name)
}

// Listed shows a few names from an archive.
func Listed(names []string) string {
	slices.Sort(names)
	more := ""
	if len(names) > 8 {
		names, more = names[:8], ", …"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = Quote(n)
	}
	return strings.Join(quoted, ", ") + more
}
