package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// ValuesSum returns the SHA-256 of what stands behind the header of a file: of the values
// alone, which metadata cannot change.
func ValuesSum(f *File) (string, error) {
	s := &valuesSum{h: sha256.New()}
	if err := Write(s, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(s.h.Sum(nil)), nil
}

// ValuesSumOf returns the same of the bytes of a file that Parse has read.
func ValuesSumOf(b []byte) string {
	sum := sha256.Sum256(b[8+binary.LittleEndian.Uint64(b):])
	return hex.EncodeToString(sum[:])
}

// valuesSum hashes what is written to it behind the header.
type valuesSum struct {
	h      hash.Hash
	length []byte // the first eight bytes, of the header's length
	header int    // bytes of it still to come
}

// Write implements io.Writer.
func (s *valuesSum) Write(b []byte) (int, error) {
	n := len(b)
	if more := 8 - len(s.length); more > 0 {
		more = min(more, len(b))
		s.length = append(s.length, b[:more]...)
		if b = b[more:]; len(s.length) == 8 {
			s.header = int(binary.LittleEndian.Uint64(s.length))
		}
	}
	skip := min(s.header, len(b))
	s.header -= skip
	if len(s.length) == 8 {
		s.h.Write(b[skip:])
	}
	return n, nil
}
