package fetch

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"

	"imdbexp/internal/fsx"
)

// Checksum is the checksum of a file. The zero value is an unknown one.
type Checksum struct {
	Kind string // md5 or sha256
	Hex  string // lower case
}

// ParseChecksum reads a checksum written as 64 (SHA-256) or 32 (MD5) hexadecimal
// digits.
func ParseChecksum(s string) (Checksum, error) {
	digits := strings.ToLower(strings.TrimSpace(s))
	_, err := hex.DecodeString(digits)
	switch {
	case err == nil && len(digits) == hex.EncodedLen(sha256.Size):
		return Checksum{"sha256", digits}, nil
	case err == nil && len(digits) == hex.EncodedLen(md5.Size):
		return Checksum{"md5", digits}, nil
	}
	return Checksum{}, fmt.Errorf("checksum %q: give the 64 hexadecimal digits of a SHA-256 or the 32 of an MD5", s)
}

func (c Checksum) String() string { return strings.ToUpper(c.Kind) + " " + c.Hex }

// verify checks a file that came from url.
func verify(path, url string, want Checksum) error {
	if want == (Checksum{}) {
		return nil
	}
	var h hash.Hash = sha256.New()
	if want.Kind == "md5" {
		h = md5.New()
	}
	f, err := fsx.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := (Checksum{want.Kind, hex.EncodeToString(h.Sum(nil))}); got != want {
		return &ChecksumError{url, want, got}
	}
	return nil
}
