package testbrowser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// remote is a driver that is asked by HTTP.
type remote struct{ address string } // of the session

// routes are the commands' methods and addresses.
var routes = map[string]struct{ method, path string }{
	"WebDriver:ExecuteScript":  {http.MethodPost, "/execute/sync"},
	"WebDriver:SetTimeouts":    {http.MethodPost, "/timeouts"},
	"WebDriver:Navigate":       {http.MethodPost, "/url"},
	"WebDriver:SetWindowRect":  {http.MethodPost, "/window/rect"},
	"WebDriver:TakeScreenshot": {http.MethodGet, "/screenshot"},
}

// webkit opens the browser of WebKitGTK's tests, on a screen that only it sees.
func webkit(t *testing.T, dark bool) (commander, error) {
	const driver = "WebKitWebDriver"
	if _, err := exec.LookPath(driver); err != nil {
		return nil, err
	}
	display, err := screen(t)
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	theme := "Adwaita"
	if dark {
		theme += ":dark"
	}
	_, err = run(t, []string{"DISPLAY=" + display, "GTK_THEME=" + theme, "HOME=" + t.TempDir(), "LIBGL_ALWAYS_SOFTWARE=1"}, driver, "--port="+strconv.Itoa(port))
	if err != nil {
		return nil, err
	}
	r := &remote{fmt.Sprintf("http://127.0.0.1:%d", port)}
	err = comes(driver, func() bool {
		_, err := r.ask(http.MethodGet, "/status", nil)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	v, err := r.ask(http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{}})
	if err != nil {
		return nil, err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := json.Unmarshal(v, &session); err != nil {
		return nil, err
	}
	r.address += "/session/" + session.ID
	t.Cleanup(func() { r.ask(http.MethodDelete, "", nil) })
	return r, nil
}

// client gives up where a browser hangs.
var client = &http.Client{Timeout: 10 * time.Minute}

// screen starts an X server without a screen and returns its display.
func screen(t *testing.T) (string, error) {
	said, tell, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer said.Close()
	defer tell.Close()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "2000x1300x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{tell}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	tell.Close()
	line, err := bufio.NewReader(said).ReadString('\n') // to its end: the server dies of a pipe that closes before
	return ":" + strings.TrimSpace(line), err
}

func (r *remote) command(name string, parameters map[string]any) (json.RawMessage, error) {
	to := routes[name]
	if to.method == http.MethodGet {
		parameters = nil
	}
	v, err := r.ask(to.method, to.path, parameters)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func (r *remote) ask(method, path string, parameters map[string]any) (json.RawMessage, error) {
	var body bytes.Buffer
	if parameters != nil {
		if err := json.NewEncoder(&body).Encode(parameters); err != nil {
			return nil, err
		}
	}
	q, err := http.NewRequest(method, r.address+path, &body)
	if err != nil {
		return nil, err
	}
	a, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%.500s", answer.Value)
	}
	return answer.Value, nil
}
