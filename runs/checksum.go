package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"imdbexp/internal/safetensors"
)

// sumKey is the metadata that holds the SHA-256 of the file with zeros in the
// place of the sum's own digits.
const sumKey = "sha256"

var noSum = strings.Repeat("0", 2*sha256.Size)

func writer(f *safetensors.File) func(io.Writer) error {
	return func(w io.Writer) error { return safetensors.Write(w, f) }
}

// checksum returns the sum that belongs into f.
func checksum(f *safetensors.File) (string, error) {
	f.Metadata[sumKey] = noSum
	h := sha256.New()
	if err := safetensors.Write(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verify compares the bytes of a file with the sum found in its metadata. It
// looks for the digits in the bytes, so that it never depends on how this
// program would write the same contents.
func verify(b []byte, sum string) error {
	if !isHex(sum, len(noSum)) {
		return errors.New("it has no checksum")
	}
	// A quote inside a JSON string is escaped: this can only be the field.
	field := []byte(`"` + sumKey + `":"` + sum + `"`)
	i := bytes.Index(b, field)
	if i < 0 {
		return errors.New("it has no checksum")
	}
	i += len(field) - 1 - len(sum)
	h := sha256.New()
	h.Write(b[:i])
	h.Write([]byte(noSum))
	h.Write(b[i+len(sum):])
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("its checksum is %.12s…, it should be %.12s…", got, sum)
	}
	return nil
}
