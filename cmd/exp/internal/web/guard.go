package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
)

// refusal is an error for the reader, with its status.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// policy lets the page load its own scripts, styles and pictures, and nothing
// else: a text that slipped through as HTML could not run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard stands before every request: it checks who asks and for what host, keeps
// the rate in bounds, and turns a panic into an error.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler: // on purpose: net/http hangs up
				panic(p)
			default:
				s.o.Log("internal error: %s %s: %v\n%s", r.Method, r.URL.Path, p, debug.Stack())
				fail(w, refuse(http.StatusInternalServerError, "internal error: the terminal that runs exp serve has more"))
			}
		}()
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.allowed(r.Host):
			fail(w, refuse(http.StatusMisdirectedRequest, "the host %q is not served here%s", cut(r.Host, 100), s.hint()))
		case crossOrigin.Check(r) != nil || elsewhere(r):
			fail(w, refuse(http.StatusForbidden, "requests from other sites are refused"))
		case !s.rate.allow(client(r)):
			h.Set("Retry-After", "1")
			fail(w, refuse(http.StatusTooManyRequests, "too many requests: try again in a moment"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// elsewhere reports whether a page of another site has the browser ask. Such a page would
// not get to read the answer, but could keep the server busy or tell by the time it
// takes what there is. A link to the page may be followed from anywhere.
func elsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // no browser, the page itself, or typed
		return false
	}
	return r.URL.Path != "/" || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// allowed checks the Host header. A page of another site can make its own name
// stand for this machine's address (DNS rebinding), and then reads what it likes:
// but it cannot pretend to have been asked for localhost, or by an address.
func (s *Server) allowed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "localhost" || slices.Contains(s.o.Hosts, name) {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (s.o.Public || addr.IsLoopback())
}

func (s *Server) hint() string {
	if s.o.Public {
		return ": exp serve --host NAME adds a name"
	}
	return ": use localhost"
}

// client returns who asks, for the rate.
func client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// handler makes a handler of a function that may fail.
func handler(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		if _, known := errors.AsType[*refusal](err); err != nil && !known && r.Context().Err() != nil {
			err = refuse(http.StatusServiceUnavailable, "the server or the request has ended")
		}
		if err != nil {
			fail(w, err)
		}
	}
}

// fail answers with an error: {"error": "…"}.
func fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*refusal](err)
	if !ok {
		e = &refusal{http.StatusInternalServerError, err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	json.NewEncoder(w).Encode(map[string]string{"error": e.text})
}
