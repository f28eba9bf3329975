package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

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
