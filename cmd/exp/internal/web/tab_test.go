package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is one chromium for all tests; each gets a tab of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	ctx, _ := chromedp.NewExecAllocator(background, chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.UserDataDir(filepath.Join(shared, "chromium")), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewContext(ctx)
	closeBrowser = func() {
		short, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		chromedp.Cancel(short) // which waits for its end
		cancel()
	}
	return ctx, chromedp.Do(ctx)
})

// closeBrowser ends the browser of the tests, if there is one.
var closeBrowser = func() {}

// tab is a page in the browser. What the page writes to its console as an error
// fails the test.
type tab struct {
	t   testing.TB
	ctx context.Context
}

// open opens a tab. It is closed before what was begun earlier ends, such as the
// server it asks.
func open(t *testing.T) *tab {
	t.Helper()
	b, err := browser()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("EXP_CI") == "" {
		t.Skip("no chromium here")
	}
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(b)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 1000)))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type != "log" && m.Type != "debug" && m.Type != "info" {
				t.Errorf("the page's console: %+v", m)
			}
		}
	}()
	return &tab{t, ctx}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// to goes to an address.
func (b *tab) to(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
}

// text evaluates an expression of the page.
func (b *tab) text(expression string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	require.NoError(b.t, err, expression)
	return v
}

// sees waits until an expression of the page has a value.
func (b *tab) sees(want, expression string) {
	b.t.Helper()
	got := ""
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		if got = b.text(expression); got == want {
			return
		}
	}
	require.Equal(b.t, want, got, expression)
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// js runs a statement.
func (b *tab) js(format string, args ...any) {
	b.t.Helper()
	b.text(fmt.Sprintf("(() => {"+format+"})()", args...))
}
