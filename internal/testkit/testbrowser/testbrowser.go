// Package testbrowser opens pages in chromium for tests.
package testbrowser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// browser is one chromium for all tests of a package, with a context for its first tab.
var browser = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	ctx, _ := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.UserDataDir(dir), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewContext(ctx)
	end = func() {
		defer os.RemoveAll(dir)
		short, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		chromedp.Cancel(short) // which waits for its end
		cancel()
	}
	idle <- ctx
	return ctx, chromedp.Do(ctx)
})

// idle are the tabs that no test has. A new tab costs as much as three pages in one that is there.
var idle = make(chan context.Context, 20)

var end = func() {}

// Close ends the browser of the tests, if there is one; a package's TestMain calls it.
func Close() { end() }

// Tab is a page in chromium. What the page writes to its console as an error
// fails the test.
type Tab struct {
	Page
	Context context.Context // of chromedp
}

// Open returns a tab that no other test has, for so long. It leaves its page before what was begun earlier ends, such as
// the server it asks. Without chromium the test is skipped, but where EXP_CI is set.
func Open(t *testing.T, patience time.Duration) *Tab {
	t.Helper()
	b, err := browser()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("EXP_CI") == "" {
		t.Skip("no chromium here")
	}
	require.NoError(t, err)
	var tab context.Context
	select {
	case tab = <-idle:
	default:
		tab, _ = chromedp.NewContext(b)
		require.NoError(t, chromedp.Do(tab)) // opens it; a context with a time limit would close it
	}
	t.Cleanup(func() {
		short, stop := context.WithTimeout(tab, time.Minute)
		defer stop()
		if chromedp.Do(short, chromedp.Navigate("about:blank")) != nil {
			chromedp.Cancel(tab)
			return
		}
		idle <- tab
	})
	ctx, stop := context.WithTimeout(tab, patience)
	t.Cleanup(stop)
	must.Get(chromedp.Call(ctx, page.BringToFront, cdp.Empty{}))(t)
	must.Get(chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))(t)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 1000)))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			refused := strings.Contains(fmt.Sprint(m), "status of 422") // an answer that the page shows
			if m.Type != "log" && m.Type != "debug" && m.Type != "info" && !refused {
				t.Errorf("the page's console: %+v", m)
			}
		}
	}()
	return &Tab{Page{t, max(15*time.Second, patience/20), func(expression string) (string, error) {
		return chromedp.Run(ctx, chromedp.Evaluate[string](expression))
	}}, ctx}
}

// Do takes steps.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.Context, steps...))
}

// To goes to an address.
func (b *Tab) To(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(address))
}

// Keys types.
func (b *Tab) Keys(keys string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// Page is a page in a browser.
type Page struct {
	t        testing.TB
	wait     time.Duration // of Sees
	evaluate func(expression string) (string, error)
}

// Text evaluates an expression of the page.
func (p *Page) Text(expression string) string {
	p.t.Helper()
	v, err := p.evaluate("String(" + expression + ")")
	require.NoError(p.t, err, "%.300s", expression)
	return v
}

// Sees waits until an expression of the page has a value. While the tab changes from one page
// to another, expressions fail.
func (p *Page) Sees(want, expression string) {
	p.t.Helper()
	var got string
	var err error
	pause := 10 * time.Millisecond // grows with what has been waited, because each look costs the browser time, too
	for end := time.Now().Add(p.wait); time.Now().Before(end); time.Sleep(pause) {
		if got, err = p.evaluate("String(" + expression + ")"); err == nil && got == want {
			return
		}
		pause = min(pause*5/4, 200*time.Millisecond)
	}
	require.NoError(p.t, err, "%.300s", expression)
	require.Equal(p.t, want, got, "%.300s", expression)
}

// JS runs a statement.
func (p *Page) JS(format string, args ...any) {
	p.t.Helper()
	p.Text(fmt.Sprintf("(() => {"+format+"})()", args...))
}
