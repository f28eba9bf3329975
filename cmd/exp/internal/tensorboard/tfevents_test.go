package tensorboard_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/tfeventstest"
	"imdbexp/internal/tfevents"
)

// Records that TensorFlow wrote: the first event of a file (from TensorFlow's
// event_file_loader_test.py), and the checksum in TensorBoard's masked_crc.rs.
func TestRecordsOfTensorFlow(t *testing.T) {
	const head = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\""
	const event = "\t\x00\x00\xc0%\xddu\xd5A\x1a\rbrain.Event:1"
	require.Equal(t, head+event+"\xec\xf32\x8d", string(tfevents.AppendRecord(nil, []byte(event))))
	b := tfevents.AppendRecord([]byte("before"), []byte("\x1a\x11CRC test, one two"))
	require.Equal(t, "before", string(b[:6]))
	require.Equal(t, "\x8a\xd0\x94\x57", string(b[len(b)-4:]))
}

func TestRecordsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 5).Draw(t, "data")
		var b []byte
		for _, d := range data {
			b = tfevents.AppendRecord(b, d)
		}
		got := must.Get(tfeventstest.Records(b))(t)
		require.Len(t, got, len(data))
		for i := range got {
			require.Equal(t, string(data[i]), string(got[i]))
		}
	})
}

func read(t require.TestingT, w *tfevents.Writer) []tfeventstest.Event {
	b := must.Get(os.ReadFile(w.Path()))(t)
	all := must.Get(tfeventstest.Read(b))(t)
	return all
}

// A whole file, byte by byte: the version's and the scalar's record are those of
// tensorboard_logger's test.
func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	at := time.UnixMilli(256_500)
	w := must.Get(tfevents.Create(fsx.In(dir), at, tfevents.Event{Time: at, Step: 1, Values: []tfevents.Value{{Tag: "v/1", Scalar: 1.5}}}))(t)
	require.Equal(t, filepath.Join(dir, "events.out.tfevents.0000000256.500000000.exp"), w.Path())
	b := must.Get(os.ReadFile(w.Path()))(t)
	const version = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\x00\x00\x00\x08p@\x1a\rbrain.Event:2\xbc\x98!+"
	const scalar = "\x19\x00\x00\x00\x00\x00\x00\x00\x8b\xf1\x08(\t\x00\x00\x00\x00\x00\x08p@\x10\x01*\x0c\n\n\n\x03v/1\x15\x00\x00\xc0?,\xec\xc0\x87"
	require.Equal(t, version, string(b[:len(version)]))
	require.Equal(t, scalar, string(b[len(b)-len(scalar):]))

	all := read(t, w)
	require.Len(t, all, 3)
	require.True(t, all[1].Start, "TensorBoard forgets what it has read from other files")
	require.Zero(t, all[1].Step, "from step 0 on")
}

func TestHistogram(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	h := &tfevents.Histogram{Min: 0.5, Max: 2.5, Sum: 4, SumSquares: 6.75, Limits: []float64{1, 2, 3}, Counts: []float64{2, 0, 1}}
	w := must.Get(tfevents.Create(fsx.In(t.TempDir()), at, tfevents.Event{Time: at, Step: 7, Values: []tfevents.Value{{Tag: "e", Histogram: h}}}))(t)
	e := read(t, w)[2]
	require.EqualValues(t, 7, e.Step)
	require.Equal(t, 1.7e9, e.Time)
	require.Equal(t, map[string]tfeventstest.Histogram{"e": {
		Min: 0.5, Max: 2.5, Num: 3, Sum: 4, SumSquares: 6.75, Limits: h.Limits, Counts: h.Counts,
	}}, e.Histograms)
	require.Empty(t, e.Scalars)
}
