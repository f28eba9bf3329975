package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// SumKey is the metadata key of a checksum. In a file of WriteSealed it is the SHA-256 of the
// file with zeros in place of the sum's digits; other writers may store another sum, such as
// ValuesSum.
const SumKey = "sha256"

var noSum = strings.Repeat("0", 2*sha256.Size)

// WriteSealed writes a file with its checksum, which it adds to the metadata of f.
func WriteSealed(w io.Writer, f *File) error {
	if f.Metadata == nil {
		f.Metadata = map[string]string{}
	}
	f.Metadata[SumKey] = noSum
	h := sha256.New()
	if err := Write(h, f); err != nil {
		return err
	}
	f.Metadata[SumKey] = hex.EncodeToString(h.Sum(nil))
	return Write(w, f)
}

// Verify checks the bytes of a sealed file against the checksum in its metadata, which f must
// have been parsed from. It searches the digits in the bytes, so the result does not depend on
// how this program would write the same contents.
func Verify(b []byte, f *File) error {
	sum := f.Metadata[SumKey]
	if len(sum) != len(noSum) || strings.Trim(sum, "0123456789abcdef") != "" {
		return errors.New("it has no checksum")
	}
	// A quote inside a JSON string is escaped: this can only be the field.
	field := []byte(`"` + SumKey + `":"` + sum + `"`)
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

// ValuesSum returns the SHA-256 of the tensors' values as a file holds them. Metadata does
// not change it.
func ValuesSum(f *File) (string, error) {
	h := sha256.New()
	for _, t := range ordered(f.Tensors) {
		if _, _, _, err := dtype(t.Data); err != nil {
			return "", err
		}
		if err := writeData(h, t.Data); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ValuesSumOf returns the ValuesSum of the bytes of a file that Parse accepts.
func ValuesSumOf(b []byte) string {
	sum := sha256.Sum256(b[8+binary.LittleEndian.Uint64(b):])
	return hex.EncodeToString(sum[:])
}
