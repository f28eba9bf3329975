package docs_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var colour = regexp.MustCompile(`^(none|currentColor|white|black|#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6})$`)

// Every drawing has colours that readers other than browsers know: no CSS variables, no numbers out
// of range. In CI librsvg draws it, too.
func TestDrawingsForAnyReader(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.svg", "*/*.svg"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 30)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		d := xml.NewDecoder(f)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, file)
			element, is := token.(xml.StartElement)
			if !is {
				continue
			}
			for _, a := range element.Attr {
				values := map[string]string{a.Name.Local: a.Value}
				if a.Name.Local == "style" {
					for part := range strings.SplitSeq(a.Value, ";") {
						key, value, _ := strings.Cut(part, ":")
						values[strings.TrimSpace(key)] = strings.TrimSpace(value)
					}
				}
				for _, key := range []string{"fill", "stroke", "stop-color"} {
					if value, has := values[key]; has {
						assert.Regexp(t, colour, value, "%s: <%s %s=%q>", file, element.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
		f.Close()
		if os.Getenv("EXP_CI") != "" {
			out, err := exec.Command("rsvg-convert", "--width=400", "-o", filepath.Join(t.TempDir(), "x.png"), file).CombinedOutput()
			assert.NoError(t, err, "%s: %s", file, out)
			assert.Empty(t, string(out), file)
		}
	}
}
