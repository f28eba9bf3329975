package index

import "crypto/sha256"

// Parse reads the bytes of a file.
func Parse(b []byte, version string) *Table {
	t, ok := parse(b, version)
	if !ok {
		return &Table{}
	}
	return t
}

// Reseal puts the right magic and sum before what follows them.
func Reseal(b []byte) []byte {
	n := len(magic) + sha256.Size
	if len(b) < n {
		return b
	}
	sum := sha256.Sum256(b[n:])
	return append(append([]byte(magic), sum[:]...), b[n:]...)
}
