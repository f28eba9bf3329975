package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/runs"
)

// A page of another site that makes its name stand for this machine asks for that
// name.
func TestHost(t *testing.T) {
	for _, c := range []struct {
		host    string
		local   bool // served on this machine
		abroad  bool // served with Public
		comment string
	}{
		{"localhost:8080", true, true, ""},
		{"LOCALHOST", true, true, ""},
		{"localhost.", true, true, ""},
		{"127.0.0.1:8080", true, true, ""},
		{"127.9.9.9", true, true, "all of 127/8 is this machine"},
		{"[::1]:8080", true, true, ""},
		{"192.168.1.7:8080", false, true, "an address cannot be rebound"},
		{"[fe80::1]:80", false, true, ""},
		{"lab.example.org:8080", false, true, "as given by --host"},
		{"evil.example.com", false, false, ""},
		{"localhost.evil.example.com", false, false, ""},
		{"127.0.0.1.evil.example.com", false, false, ""},
		{"localhost:8080:evil", false, false, ""},
		{"", false, false, ""},
		{"user@localhost", false, false, ""},
	} {
		for _, public := range []bool{false, true} {
			h := start(t, t.TempDir(), func(o *web.Options) {
				if o.Public = public; public {
					o.Hosts = []string{"lab.example.org"}
				}
			}).Handler()
			want := http.StatusMisdirectedRequest
			if !public && c.local || public && c.abroad {
				want = http.StatusOK
			}
			for _, path := range []string{"/", "/assets/main.js", "/api/compare"} {
				w := request(h, "GET", path, "", func(r *http.Request) { r.Host = c.host })
				assert.Equal(t, want, w.Code, "%s of %q, public %v", path, c.host, public)
			}
		}
	}
}

// Other sites cannot have a page ask for them.
func TestOtherSites(t *testing.T) {
	dir := copyTrained(t)
	h := start(t, dir).Handler()
	question := `{"run":"` + keyOf(t, dir, "tme9-simple") + `","text":"a good film"}`
	for _, c := range []struct {
		name, header, value string
		want                int
	}{
		{"the page itself", "Origin", "http://localhost", http.StatusOK},
		{"the page itself, newer browsers", "Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"no browser", "", "", http.StatusOK},
		{"another site", "Origin", "http://evil.example.com", http.StatusForbidden},
		{"another port", "Origin", "http://localhost:9", http.StatusForbidden},
		{"a page from a file", "Origin", "null", http.StatusForbidden},
		{"another site, newer browsers", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"a form", "Content-Type", "text/plain", http.StatusUnsupportedMediaType},
		{"a form", "Content-Type", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
	} {
		w := request(h, "POST", "/api/predict", question, func(r *http.Request) {
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
		})
		assert.Equal(t, c.want, w.Code, "%s: %s", c.name, w.Body.String())
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	}
}

// Nor can they with requests that only read; but links to the page work.
func TestOtherSitesRead(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	for _, c := range []struct {
		path, site, mode, dest string
		want                   int
	}{
		{"/", "cross-site", "navigate", "document", http.StatusOK},
		{"/?run=x", "cross-site", "navigate", "document", http.StatusOK},
		{"/", "cross-site", "navigate", "iframe", http.StatusForbidden},
		{"/", "cross-site", "no-cors", "image", http.StatusForbidden},
		{"/api/compare", "cross-site", "navigate", "document", http.StatusForbidden},
		{"/api/compare", "cross-site", "cors", "empty", http.StatusForbidden},
		{"/api/events", "cross-site", "cors", "empty", http.StatusForbidden},
		{"/api/compare", "same-site", "no-cors", "script", http.StatusForbidden},
		{"/assets/main.js", "cross-site", "no-cors", "script", http.StatusForbidden},
		{"/figure.svg", "cross-site", "no-cors", "image", http.StatusForbidden},
		{"/api/compare", "same-origin", "cors", "empty", http.StatusOK},
		{"/api/compare", "none", "navigate", "document", http.StatusOK},
		{"/api/compare", "", "", "", http.StatusOK},
	} {
		w := request(h, "GET", c.path, "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", c.site)
			r.Header.Set("Sec-Fetch-Mode", c.mode)
			r.Header.Set("Sec-Fetch-Dest", c.dest)
		})
		assert.Equal(t, c.want, w.Code, "%+v", c)
	}
}

// Nothing outside the folder of runs can be reached, whatever the address.
func TestNothingOutside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "runs")
	begin(t, dir, "tme9-simple").finish(60)
	begin(t, parent, "tme9-simple").finish(60) // a run, but not in the folder
	require.NoError(t, os.WriteFile(filepath.Join(parent, "secret"), []byte("s3cret"), 0o666))
	h := start(t, dir).Handler()
	for _, path := range []string{
		"/../secret", "/..%2fsecret", "/assets/..%2f..%2fsecret", "/assets/../page.html", "/assets/%2e%2e/doc.go", "/assets/.", "/assets/",
		"/assets/main.js%00", "/page.html", "/runs", "/assets/..\\secret",
		"/api/run?run=..%2f..%2fsecret", "/api/run?run=%2fetc%2fpasswd", "/api/run?run=..%2ftme9-simple", "/api/run?run=", "/api/run",
		"/api/entropy?run=../tme9-simple", "/figure.svg?kind=curves&run=../secret", "/api/run?run=tme9-simple", "/api/run?run=.store/x",
	} {
		w := request(h, "GET", path, "")
		assert.NotEqual(t, http.StatusOK, w.Code, path)
		assert.NotContains(t, w.Body.String(), "s3cret", path)
		assert.NotContains(t, w.Body.String(), parent, path)
	}
}

func TestMethods(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
		for _, path := range []string{"/", "/api/run", "/api/compare", "/assets/main.js", "/figure.svg"} {
			assert.Equal(t, http.StatusMethodNotAllowed, request(h, method, path, "").Code, method+" "+path)
		}
	}
	assert.Equal(t, http.StatusMethodNotAllowed, request(h, "GET", "/api/predict", "").Code)
	assert.Equal(t, http.StatusNotFound, request(h, "GET", "/nothing", "").Code)
	w := request(h, "GET", "/api/predict", "")
	assert.Equal(t, "POST", w.Header().Get("Allow"))
	assert.Equal(t, "/api/predict takes POST", refused(t, w))
	for _, path := range []string{"/api/nothing", "/api/", "/api"} {
		w := request(h, "GET", path, "")
		assert.Equal(t, http.StatusNotFound, w.Code)
		assert.Equal(t, "there is no "+path+" here", refused(t, w))
	}
}

// Whatever a run or a reader writes is text in the page, never HTML.
func TestTextsAreEscaped(t *testing.T) {
	dir := t.TempDir()
	const evil = `<img src=x onerror=alert(1)>` + "\u202e\u009b"
	diverged := begin(t, dir, "tme9-simple")
	diverged.epoch(50)
	require.NoError(t, diverged.Diverged(evil))
	folder := filepath.Join(dir, `"><script>alert(2)`, "x")
	if err := os.MkdirAll(folder, 0o777); err == nil { // not on every file system
		require.NoError(t, os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(evil), 0o666))
	}
	h := start(t, dir).Handler()
	text := request(h, "GET", "/?q="+url.QueryEscape(`"><script>alert(3)</script>`)+"&sort="+url.QueryEscape(evil), "").Body.String()
	text += request(h, "GET", "/", "").Body.String()
	assert.NotContains(t, text, "<img src=x")
	assert.NotContains(t, text, "<script>")
	assert.NotRegexp(t, "[\u202e\u009b]", text)
	assert.Contains(t, text, `&lt;img src=x onerror=alert(1)&gt;\u202e\u009b`)
	w := request(h, "GET", "/api/run?run="+url.QueryEscape(evil), "")
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.NotContains(t, w.Body.String(), "<img", "JSON is read as HTML by nobody, and yet")
}

func TestHeaders(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	for _, path := range []string{"/", "/assets/style.css", "/api/run", "/nothing"} {
		w := request(h, "GET", path, "")
		csp := w.Header().Get("Content-Security-Policy")
		assert.Contains(t, csp, "default-src 'none'", path)
		assert.NotContains(t, csp, "unsafe", path)
		assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
		assert.Equal(t, "same-origin", w.Header().Get("Cross-Origin-Resource-Policy"), path)
	}
	page := request(h, "GET", "/", "").Body.String()
	for _, inline := range []string{" style=", "<style", " onclick=", "http://", "https://"} {
		assert.NotContains(t, page, inline, "the page needs nothing but its own files")
	}
}

// A client that asks too often has to wait; others do not.
func TestTooManyRequests(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	from := func(address string) func(*http.Request) {
		return func(r *http.Request) { r.RemoteAddr = address + ":1234" }
	}
	last := 0
	for range web.Burst + 20 {
		last = request(h, "GET", "/assets/icon.svg", "", from("10.0.0.1")).Code
	}
	assert.Equal(t, http.StatusTooManyRequests, last)
	assert.Equal(t, http.StatusOK, request(h, "GET", "/assets/icon.svg", "", from("10.0.0.2")).Code)
}

// A mistake of ours is an answer, not the end of the server.
func TestPanics(t *testing.T) {
	dir := copyTrained(t)
	var logged []string
	s := start(t, dir, func(o *web.Options) {
		o.Open = func(*runs.Run) (ask.Model, error) { panic("broken") }
		o.Log = func(format string, _ ...any) { logged = append(logged, format) }
	})
	for range 2 * web.MaxWaiting { // nothing stays locked
		w := request(s.Handler(), "POST", "/api/predict", `{"run":"`+keyOf(t, dir, "tme9-simple")+`","text":"a"}`)
		assert.Equal(t, http.StatusInternalServerError, w.Code)
		assert.NotContains(t, w.Body.String(), "broken")
	}
	require.Len(t, logged, 2*web.MaxWaiting)
	assert.True(t, strings.HasPrefix(logged[0], "internal error"))
}
