package testbrowser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
	for end := time.Now().Add(p.wait); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		if got, err = p.evaluate("String(" + expression + ")"); err == nil && got == want {
			return
		}
	}
	require.NoError(p.t, err, "%.300s", expression)
	require.Equal(p.t, want, got, "%.300s", expression)
}

// JS runs a statement.
func (p *Page) JS(format string, args ...any) {
	p.t.Helper()
	p.Text(fmt.Sprintf("(() => {"+format+"})()", args...))
}
