package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckText returns an error for bytes that are not text. where names the file and the entry.
func CheckText(where, text string) error {
	if err := NotText(text, "convert the file, for example with iconv -t UTF-8"); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// NotText returns an error for bytes that are not text. The error for an encoding other than
// UTF-8 ends with the advice.
func NotText(text, advice string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fmt.Errorf("byte %d is NUL: this is not text", i+1)
	}
	if utf8.ValidString(text) {
		return nil
	}
	valid := 0
	for r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRuneInString(text[valid:]) {
		valid += n
	}
	return fmt.Errorf("byte %d is not UTF-8: %s", valid+1, advice)
}

// TooLong is the error for a text over the limit.
func TooLong(limit int64) error {
	return fmt.Errorf("longer than %d bytes, the limit for one text", limit)
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

// CheckPointer returns an error for a pointer of Git LFS or git-annex: a small file in place of a
// large one that was not downloaded.
func CheckPointer(file io.ReaderAt) error {
	head := make([]byte, 64)
	n, _ := file.ReadAt(head, 0)
	head = head[:n]
	if bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")) {
		return errors.New("is a Git LFS pointer and not the file itself: run git lfs pull, then try again")
	}
	if bytes.HasPrefix(head, []byte("/annex/objects/")) {
		return errors.New("is a git-annex pointer and not the file itself: run git annex get, then try again")
	}
	return nil
}
