package tensorboard_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/tfevents"
)

// Whatever is written, in however many pieces, is read back.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.Custom(func(t *rapid.T) tfevents.Event {
			e := tfevents.Event{
				Time: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0),
				Step: rapid.IntRange(0, math.MaxInt32).Draw(t, "step"),
			}
			for _, tag := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID).Draw(t, "tags") {
				e.Values = append(e.Values, tfevents.Value{Tag: tag, Scalar: rapid.Float64().Draw(t, "scalar")})
			}
			return e
		})
		pieces := rapid.SliceOfN(rapid.SliceOfN(event, 0, 3), 1, 4).Draw(t, "pieces")
		w := must.Get(tfevents.Create(fsx.In(dir), time.Now(), pieces[0]...))(t)
		for _, p := range pieces[1:] {
			require.NoError(t, w.Append(p...))
		}
		got := read(t, w)[2:]
		for _, e := range slices.Concat(pieces...) {
			require.NotEmpty(t, got)
			require.EqualValues(t, e.Step, got[0].Step)
			require.Equal(t, float64(e.Time.Unix()), got[0].Time)
			require.Len(t, got[0].Scalars, len(e.Values))
			for _, v := range e.Values {
				require.Equal(t, float32(v.Scalar), got[0].Scalars[v.Tag])
			}
			got = got[1:]
		}
		require.Empty(t, got)
	})
	all := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	require.Len(t, all, 1, "each file takes the place of the one before")
}

// Event files of other programs stay where they are.
func TestCreateLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"events.out.tfevents.1700000000.host.12.0", "metrics.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	at := time.Unix(1_700_000_000, 0)
	for range 2 { // in the same nanosecond, too
		must.Get(tfevents.Create(fsx.In(dir), at))(t)
	}
	all := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	require.Len(t, all, 3)
}

// A record that was written in part is cut off by the next one.
func TestAppendCutsOffWhatIsTorn(t *testing.T) {
	w := must.Get(tfevents.Create(fsx.In(t.TempDir()), time.Unix(1_700_000_000, 0)))(t)
	f := must.Get(os.OpenFile(w.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
	must.Get(f.WriteString("torn"))(t)
	require.NoError(t, f.Close())
	require.NoError(t, w.Append(tfevents.Event{Step: 1}))
	require.Len(t, read(t, w), 3)

	require.NoError(t, os.Remove(w.Path()))
	require.ErrorIs(t, w.Append(tfevents.Event{Step: 2}), fs.ErrNotExist)
}

func TestCreateFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, must.Fail(tfevents.Create(fsx.In(filepath.Join(file, "below")), time.Now())), file)
}
