package fetch

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"imdbexp/internal/fsx"
)

var (
	errChanged = errors.New("the file has changed on the server, or it sends other bytes than requested: fetch again")
	errNoRange = errors.New("the server sends whole files only (no Range)")
	// errHTML is for the answer of a captive portal, or of a page that has moved.
	errHTML = errors.New("the server sent a web page instead of the file: log in to the network, or give another address with --url")
)

// permanent is an error that would come again in another attempt.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// isPermanent reports whether to give up at once.
func isPermanent(err error) bool {
	if s, ok := errors.AsType[*StatusError](err); ok {
		return s.Code < 500 && s.Code != http.StatusRequestTimeout && s.Code != http.StatusTooManyRequests
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return d.IsNotFound
	}
	_, marked := errors.AsType[permanent](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return marked || untrusted
}

// StatusError is an answer of the server without the file.
type StatusError struct {
	Code int
	Line string // such as 404 Not Found
}

func (e *StatusError) Error() string { return "the server answers " + e.Line }

// Error says what could not be fetched, why, and what to do.
type Error struct {
	URL string
	Err error
	Got int64 // bytes kept for the next transfer
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	err := e.Err
	if u, ok := err.(*url.Error); ok { // it also has the address
		err = u.Err
	}
	text := fmt.Sprintf("%s: %v", e.URL, err)
	if e.Got >= 1e5 {
		text += fmt.Sprintf("; %.1f MB are kept: fetch again to continue", float64(e.Got)/1e6)
	}
	return text
}

// Unreached reports whether the server could not be reached.
func (e *Error) Unreached() bool {
	_, ok := errors.AsType[*url.Error](e.Err)
	return ok
}

// ChecksumError is the error for a file with another content than expected.
type ChecksumError struct {
	URL       string
	Want, Got Checksum
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s: the checksum is %s instead of %s: the file is damaged or another one, and was removed; fetch again, or from another address with --url",
		e.URL, e.Got, e.Want)
}

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
