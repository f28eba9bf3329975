package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
)

// A page of another site that gives its own name this machine's address asks for that name.
func TestHost(t *testing.T) {
	served := map[bool]http.Handler{}
	for _, public := range []bool{false, true} {
		served[public] = start(t, t.TempDir(), func(o *web.Options) {
			if o.Public = public; public {
				o.Hosts = []string{"lab.example.org"}
			}
		}).Handler()
	}
	for _, c := range []struct {
		host   string
		local  bool // served
		public bool // served with Public
	}{
		{"localhost:8080", true, true},
		{"LOCALHOST", true, true},
		{"localhost.", true, true},
		{"127.0.0.1:8080", true, true},
		{"127.9.9.9", true, true},
		{"[::1]:8080", true, true},
		{"192.168.1.7:8080", false, true},
		{"[fe80::1]:80", false, true},
		{"lab.example.org:8080", false, true}, // by --host
		{"evil.example.com", false, false},
		{"localhost.evil.example.com", false, false},
		{"127.0.0.1.evil.example.com", false, false},
		{"localhost:8080:evil", false, false},
		{"", false, false},
		{"user@localhost", false, false},
	} {
		for public, h := range served {
			want := http.StatusMisdirectedRequest
			if !public && c.local || public && c.public {
				want = http.StatusOK
			}
			for path, body := range map[string]string{"": "", "runs": "{}"} {
				w := request(h, path, body, func(r *http.Request) { r.Host = c.host })
				assert.Equal(t, want, w.Code, "%s of %q, public %v", path, c.host, public)
			}
		}
	}
}

// Other sites cannot have a browser ask for them.
func TestOtherSites(t *testing.T) {
	dir := copyTrained(t)
	h := start(t, dir).Handler()
	question := body(t, ask.Question{Run: keyOf(t, dir, "tme9-simple"), Text: "a good film"})
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"Origin", "http://localhost", http.StatusOK},
		{"Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"", "", http.StatusOK}, // no browser
		{"Origin", "http://evil.example.com", http.StatusForbidden},
		{"Origin", "http://localhost:9", http.StatusForbidden},
		{"Origin", "null", http.StatusForbidden}, // a page from a file
		{"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"Content-Type", "text/plain", http.StatusUnsupportedMediaType}, // a form
		{"Content-Type", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
	} {
		w := request(h, "ask", question, func(r *http.Request) { r.Header.Set(c.header, c.value) })
		assert.Equal(t, c.want, w.Code, "%s %s: %s", c.header, c.value, w.Body.String())
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
		if c.want != http.StatusOK {
			w = request(h, "train", `{"name":"tme9-mean"}`, func(r *http.Request) { r.Header.Set(c.header, c.value) })
			assert.Equal(t, http.StatusForbidden, w.Code, "%s %s", c.header, c.value)
		}
	}
}

// Nothing outside the folder of runs can be reached: a run is looked up among those found there.
func TestNothingOutside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "runs")
	begin(t, dir, "tme9-simple").finish(60)
	other := begin(t, parent, "tme9-simple").finish(60)
	h := start(t, dir).Handler()
	for _, key := range []string{"", "..", "../" + other.key, "tme9-simple", ".store/x", "/etc/passwd", "../../etc/passwd"} {
		for _, path := range []string{"run", "ask"} {
			w := request(h, path, body(t, map[string]string{"run": key}))
			assert.Equal(t, http.StatusNotFound, w.Code, path+" "+key)
		}
	}
	assert.Equal(t, http.StatusMethodNotAllowed, request(h, "", "{}").Code)
	assert.Equal(t, http.StatusNotFound, request(h, "nothing", "{}").Code)
}

// Texts of runs are JSON, and text in the page.
func TestTextsAreEscaped(t *testing.T) {
	dir := t.TempDir()
	diverged := begin(t, dir, "tme9-simple")
	diverged.epoch(50)
	require.NoError(t, diverged.Diverged(`<img src=x onerror=alert(1)>`))
	w := request(start(t, dir).Handler(), "runs", "{}")
	assert.Contains(t, w.Body.String(), `\u003cimg`)
	assert.NotContains(t, w.Body.String(), "<img")
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
}

// Links are not followed: they could lead anywhere.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	w := begin(t, outside, "tme9-simple").finish(61)
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("password: 1234\n"), 0o666))
	dir := t.TempDir()
	inside := begin(t, dir, "tme9-mean").finish(62)
	if err := os.Symlink(filepath.Join(outside, "tme9-simple"), filepath.Join(dir, "tme9-simple")); err != nil {
		t.Skip("no links here:", err)
	}
	require.NoError(t, os.Symlink(filepath.Join(outside, filepath.FromSlash(w.key)), filepath.Join(dir, "tme9-mean", "linked")))
	folder := filepath.Join(dir, "tme9-mean", "folder")
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(dir, filepath.FromSlash(inside.key)))))
	require.NoError(t, os.Remove(filepath.Join(folder, "config.yaml")))
	require.NoError(t, os.Symlink(secret, filepath.Join(folder, "config.yaml")))
	require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(inside.key), "metrics.jsonl")))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, filepath.FromSlash(inside.key), "metrics.jsonl")))
	h := start(t, dir).Handler()
	c := get[page.Change](t, h, "runs", web.Known{})
	require.Len(t, c.Rows, 2)
	for _, r := range c.Rows {
		assert.NotEmpty(t, r.Notes)
		assert.NotContains(t, strings.Join(r.Notes, " "), "password")
	}
	assert.NotContains(t, request(h, "run", body(t, web.Key{Run: inside.key})).Body.String(), "password")
}
