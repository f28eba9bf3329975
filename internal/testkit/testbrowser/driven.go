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
)

// Others are the browsers beside chromium that Drive opens: of Gecko, and of the engine of Safari.
var Others = []string{"firefox", "webkit"}

// Driven is a page in a browser of Others, which WebDriver commands drive (W3C,
// "WebDriver", 2018). Only its own window is on its screen, which nobody sees.
type Driven struct {
	Page
	About string // name and version of the browser

	commands commander
}

// commander sends a command of WebDriver to a browser, as it is called by Firefox's Marionette.
type commander interface {
	command(name string, parameters map[string]any) (json.RawMessage, error)
}

// Drive opens a browser of Others for so long, light or dark. A browser that is not
// there skips the test, also where EXP_CI is set.
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
	v, err := d.commands.command(name, parameters)
	require.NoError(d.t, err)
	return v
}

// To goes to an address.
func (d *Driven) To(address string) {
	d.t.Helper()
	d.do("WebDriver:Navigate", map[string]any{"url": address})
}

// Size makes the window as wide and high as a page of so many pixels needs.
func (d *Driven) Size(width, height int) {
	d.t.Helper()
	for range 2 { // the second time with what the window has around the page
		var rims [2]int
		require.NoError(d.t, json.Unmarshal([]byte(d.Text(`"[" + [outerWidth - innerWidth, outerHeight - innerHeight] + "]"`)), &rims))
		d.do("WebDriver:SetWindowRect", map[string]any{"width": width + rims[0], "height": height + rims[1]})
	}
}

// Shot writes what the window shows as a PNG.
func (d *Driven) Shot(path string) {
	d.t.Helper()
	var coded string
	require.NoError(d.t, json.Unmarshal(d.do("WebDriver:TakeScreenshot", map[string]any{"full": false}), &coded))
	b, err := base64.StdEncoding.DecodeString(coded)
	require.NoError(d.t, err)
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

// comes waits for what a program does soon after its start.
func comes(what string, there func() bool) error {
	for end := time.Now().Add(2 * time.Minute); !there(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%s has not come in two minutes", what)
		}
	}
	return nil
}
