package term

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All formats hold the same values. JSON types a column by all of its values, and an ID of digits is
// a text.
func TestRecords(t *testing.T) {
	r := Records{
		{"id", "acc", "paired", "name", "far"},
		{"123456789012", "81.5", "true", "1e5", "1e999"},
		{"00e512345678", "", "false", "a\tb\\c\"<é>\n", ""},
	}
	written := func(format string) string {
		var out strings.Builder
		require.NoError(t, r.Write(&out, format))
		return out.String()
	}
	require.Equal(t, "id\tacc\tpaired\tname\tfar\n123456789012\t81.5\ttrue\t1e5\t1e999\n00e512345678\t\tfalse\ta\\tb\\\\c\"<é>\\n\t\n", written("tsv"))
	require.Contains(t, written("csv"), "\"a\tb\\c\"\"<é>\n\",\n")
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(written("json")), &list))
	require.Equal(t, []map[string]any{
		{"id": "123456789012", "acc": 81.5, "paired": true, "name": "1e5", "far": "1e999"},
		{"id": "00e512345678", "acc": nil, "paired": false, "name": "a\tb\\c\"<é>\n", "far": nil},
	}, list)
	require.Contains(t, written("json"), `<é>`)
	r = r[:1]
	require.NoError(t, json.Unmarshal([]byte(written("json")), &list))
	require.Empty(t, list)
}
