package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

var (
	// errChanged says that the file on the server is no longer the one that was
	// begun.
	errChanged = errors.New("the file changed on the server meanwhile")
	// errNoRange says that a server sends whole files only.
	errNoRange = errors.New("the server sends whole files only (no Range)")
	// errHTML says that a captive portal or a moved page answered.
	errHTML = errors.New("a web page came instead of the file: does the network want a login, or is the address another now?")
)

// permanent is an error that another attempt would meet again.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// isPermanent reports whether to give up at once.
func isPermanent(err error) bool {
	if _, ok := errors.AsType[permanent](err); ok {
		return true
	}
	if s, ok := errors.AsType[*StatusError](err); ok {
		return !s.temporary()
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return d.IsNotFound
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted
}

// StatusError is an answer other than the file.
type StatusError struct {
	Code int
	Line string // such as 404 Not Found
}

func (e *StatusError) Error() string { return "the server answers " + e.Line }

func (e *StatusError) temporary() bool {
	switch e.Code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Code >= 500
}

// noSuchRange reports whether a server has no such bytes.
func noSuchRange(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok && s.Code == http.StatusRequestedRangeNotSatisfiable
}

// stalledError says that a server fell silent.
type stalledError struct{ after time.Duration }

func (e stalledError) Error() string { return fmt.Sprintf("nothing came for %v", e.after) }

// Error says what could not be fetched and what can be done about it.
type Error struct {
	URL string
	Err error
	Got int64 // bytes kept for the next time
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	err := e.Err
	if u, ok := err.(*url.Error); ok { // which names the address, too
		err = u.Err
	}
	text := fmt.Sprintf("%s: %v", e.URL, err)
	if e.Got >= 1e5 {
		text += fmt.Sprintf("; %.1f MB are kept: fetch again to go on from there", float64(e.Got)/1e6)
	}
	return text
}

// Unreached reports whether there was no way to the server.
func (e *Error) Unreached() bool {
	_, ok := errors.AsType[*url.Error](e.Err)
	return ok
}

// ChecksumError says that a file came whole but is not the one that was meant.
type ChecksumError struct {
	URL       string
	Want, Got Checksum
	HTML      bool // what came is a web page
}

func (e *ChecksumError) Error() string {
	if e.HTML {
		return e.URL + ": " + errHTML.Error()
	}
	return fmt.Sprintf("%s: the checksum is %s instead of %s: damaged on the way, or another file. It was thrown away; fetch again, or from elsewhere with --url",
		e.URL, e.Got, e.Want)
}
