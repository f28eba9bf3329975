package testbrowser

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// Others are the browsers that Drive opens, with the engines of Firefox and Safari.
var Others = []string{"firefox", "webkit"}

// Driven is a page in a browser of Others, driven by WebDriver commands (W3C,
// "WebDriver", 2018). Its window is on a virtual screen.
type Driven struct {
	Page
	About string // name and version of the browser

	commands commander
}

// commander sends a WebDriver command to a browser, by its name in Firefox's Marionette.
type commander interface {
	command(name string, parameters map[string]any) (json.RawMessage, error)
}

// Drive opens a browser of Others with a time limit, light or dark. If the browser is not
// installed, the test is skipped, even with EXP_CI.
func Drive(t *testing.T, name string, dark bool, patience time.Duration) *Driven {
	t.Helper()
	start := map[string]func(*testing.T, bool) (commander, error){"firefox": firefox, "webkit": webkit}[name]
	c, err := start(t, dark)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no %s here: %v", name, err)
	}
	require.NoError(t, err)
	d := &Driven{commands: c}
	d.Page = Page{t, max(15*time.Second, patience/20), func(expression string) (string, error) {
		v, err := c.command("WebDriver:ExecuteScript", map[string]any{"script": "return " + expression, "args": []any{}})
		if err != nil {
			return "", err
		}
		var text string
		err = json.Unmarshal(v, &text)
		return text, err
	}}
	d.do("WebDriver:SetTimeouts", map[string]any{"script": patience.Milliseconds(), "pageLoad": patience.Milliseconds()})
	d.About = d.Text("navigator.userAgent")
	return d
}

func (d *Driven) do(name string, parameters map[string]any) json.RawMessage {
	d.t.Helper()
	v := must.Get(d.commands.command(name, parameters))(d.t)
	return v
}

// To goes to an address.
func (d *Driven) To(address string) {
	d.t.Helper()
	d.do("WebDriver:Navigate", map[string]any{"url": address})
}

// Size sets the size of the page in pixels.
func (d *Driven) Size(width, height int) {
	d.t.Helper()
	for range 2 { // the second time with the right borders of the window
		var rims [2]int
		require.NoError(d.t, json.Unmarshal([]byte(d.Text(`"[" + [outerWidth - innerWidth, outerHeight - innerHeight] + "]"`)), &rims))
		d.do("WebDriver:SetWindowRect", map[string]any{"width": width + rims[0], "height": height + rims[1]})
	}
}

// Shot writes a screenshot as a PNG.
func (d *Driven) Shot(path string) {
	d.t.Helper()
	var coded string
	require.NoError(d.t, json.Unmarshal(d.do("WebDriver:TakeScreenshot", map[string]any{"full": false}), &coded))
	b := must.Get(base64.StdEncoding.DecodeString(coded))(d.t)
	require.NoError(d.t, os.WriteFile(path, b, 0o666))
}

// run starts a program, with more of the environment, that ends with the test.
func run(t *testing.T, environment []string, name string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), environment...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
	})
	return cmd, nil
}

// comes waits until there returns true, as a program does soon after its start.
func comes(what string, there func() bool) error {
	for end := time.Now().Add(2 * time.Minute); !there(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%s has not come in two minutes", what)
		}
	}
	return nil
}
