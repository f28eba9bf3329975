package testbrowser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// marionette is Firefox's own way to be driven: a connection with a message
// [0, number, name, parameters] for each command and [1, number, error, result] for each
// answer, behind its length and a colon.
type marionette struct {
	net.Conn
	in   *bufio.Reader
	sent int
}

func firefox(t *testing.T, dark bool) (commander, error) {
	name := "firefox"
	if _, err := exec.LookPath(name); err != nil {
		name = "firefox-esr" // of Debian
	}
	profile := t.TempDir()
	scheme := 1
	if dark {
		scheme = 0
	}
	preferences := fmt.Sprintf(`user_pref("marionette.port", 0);
user_pref("layout.css.prefers-color-scheme.content-override", %d);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.legacyUserProfileCustomizations.stylesheets", true);
`, scheme)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o666); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(profile, "chrome"), 0o777); err != nil {
		return nil, err
	}
	narrow := []byte(":root { min-width: 0 !important; }") // a window may be as narrow as a phone
	if err := os.WriteFile(filepath.Join(profile, "chrome", "userChrome.css"), narrow, 0o666); err != nil {
		return nil, err
	}
	_, err := run(t, []string{"HOME=" + profile}, name, "--headless", "--marionette", "--no-remote", "--profile", profile)
	if err != nil {
		return nil, err
	}
	var m *marionette
	err = comes("the port of "+name, func() bool {
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err != nil {
			return false
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		if err == nil {
			m = &marionette{Conn: conn, in: bufio.NewReader(conn)}
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := m.read(); err != nil { // that it is there
		return nil, err
	}
	if _, err := m.command("WebDriver:NewSession", map[string]any{}); err != nil {
		return nil, err
	}
	t.Cleanup(func() { m.Close() })
	t.Cleanup(func() { m.command("Marionette:Quit", map[string]any{"flags": []string{"eForceQuit"}}) })
	return m, nil
}

func (m *marionette) read() ([]byte, error) {
	length, err := m.in.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(m.in, b)
	return b, err
}

func (m *marionette) command(name string, parameters map[string]any) (json.RawMessage, error) {
	m.sent++
	b, err := json.Marshal([]any{0, m.sent, name, parameters})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(m, "%d:%s", len(b), b); err != nil {
		return nil, err
	}
	b, err = m.read()
	if err != nil {
		return nil, err
	}
	var answer [4]json.RawMessage
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, err
	}
	if wrong := answer[2]; string(wrong) != "null" {
		return nil, fmt.Errorf("%s: %.500s", name, wrong)
	}
	var result struct {
		Value json.RawMessage `json:"value"`
	}
	err = json.Unmarshal(answer[3], &result)
	return result.Value, err
}
