package runs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// lengthened are changes that make a file of lines longer than the checkpoint says. Truncated to
// that length, the file would end inside a line or hold another epoch.
var lengthened = map[string]func(b []byte) []byte{
	"ends of lines": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	"a digit":       func(b []byte) []byte { return bytes.Replace(b, []byte(`:0.5`), []byte(`:0.51`), 1) },
	"a line twice": func(b []byte) []byte {
		first, _, _ := bytes.Cut(b, []byte("\n"))
		return append(append(bytes.Clone(first), '\n'), b...)
	},
}

// Metrics that have become longer are damage, and no other epoch replaces the chosen one.
func TestLongerMetricsAreDamage(t *testing.T) {
	for name, change := range lengthened {
		t.Run(name, func(t *testing.T) {
			r := trained(t, t.TempDir())
			rewrite(t, filepath.Join(r.Path, "metrics.jsonl"), change)
			r = must.Get(runs.Open(r.Path))(t)
			_, err := r.Chosen()
			require.ErrorContains(t, err, "metrics.jsonl")
			require.True(t, runs.IsDamage(err), err)
			require.True(t, runs.IsDamage(r.CheckLines()))
			_, err = r.Citation()
			require.Error(t, err)
			if name != "a line twice" { // which takes all lines to see
				require.Equal(t, runs.Damaged, r.Status.State)
			}
		})
	}
}

// A run whose lines cannot be truncated where its checkpoint says is neither resumed nor extended:
// its files stay as they are.
func TestLongerLinesAreNotCut(t *testing.T) {
	for _, file := range []string{"metrics.jsonl", "entropy.jsonl"} {
		dir, c := t.TempDir(), config(t, "epochs=4")
		r := stopped(t, dir, c, 3)
		rewrite(t, filepath.Join(r.Path, file), lengthened["ends of lines"])
		before := every(t, r.Path)
		_, _, err := runs.Resume(r, environment())
		require.ErrorContains(t, err, file)
		require.True(t, runs.IsDamage(err), err)
		require.Equal(t, before, every(t, r.Path))

		shorter := trained(t, dir, "epochs=2", "seed=2")
		rewrite(t, filepath.Join(shorter.Path, file), lengthened["ends of lines"])
		longer := config(t, "epochs=3", "seed=2")
		_, _, err = runs.Extend(dir, longer, environment(), shorter)
		require.True(t, runs.IsDamage(err), err)
		require.NoDirExists(t, runs.Folder(dir, &longer))
	}
}

// If only the last checkpoint is damaged, training can continue; without whole lines it cannot.
func TestRestorable(t *testing.T) {
	r := trained(t, t.TempDir())
	require.True(t, r.Restorable())
	flip(t, filepath.Join(r.Path, "last.safetensors"), -1)
	require.True(t, r.Restorable())
	require.NoError(t, os.Truncate(filepath.Join(r.Path, "metrics.jsonl"), 5))
	require.False(t, r.Restorable())
}

// every returns the files of a folder except the lock, which names the last process that took it.
func every(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	out := map[string]string{}
	for _, e := range entries {
		b := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		out[e.Name()] = string(b)
	}
	delete(out, ".lock")
	return out
}

func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	require.NoError(t, os.WriteFile(path, change(b), 0o666))
}

// taken returns the bytes that f allocates, and its error.
func taken(f func() error) (bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// A file that is larger than the limit of its kind is refused before memory is allocated.
func TestLargeFilesAreRefused(t *testing.T) {
	const large = 17 << 30 // a sparse file
	for file, read := range map[string]func(r *runs.Run) error{
		"metrics.jsonl":     func(r *runs.Run) error { _, err := r.Metrics(); return err },
		"entropy.jsonl":     func(r *runs.Run) error { _, err := r.Entropies(); return err },
		"timing.jsonl":      func(r *runs.Run) error { _, err := r.Timing(); return err },
		"test.json":         func(r *runs.Run) error { _, err := r.Metrics(); return err },
		"predictions.tsv":   func(r *runs.Run) error { _, err := r.Predictions(); return err },
		"last.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Last); return err },
		"best.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Best); return err },
		"environment.json":  func(r *runs.Run) error { _, err := r.Environments(); return err },
		"config.yaml":       func(r *runs.Run) error { _, err := runs.Open(r.Path); return err },
		"prev.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Prev); return err },
		"translations.tsv":  func(r *runs.Run) error { _, err := r.Translations(); return err },
		"other.safetensors": func(r *runs.Run) error { _, err := r.Checkpoint("other"); return err },
	} {
		dir := t.TempDir()
		c := config(t, "test=last", "vectors=random")
		require.NoError(t, train(dir, c))
		r := must.Get(runs.Lookup(dir, &c))(t)
		path := filepath.Join(r.Path, file)
		f := must.Get(os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666))(t)
		require.NoError(t, f.Truncate(large)) // takes no room on most disks
		require.NoError(t, f.Close())
		got, err := taken(func() error { return read(r) })
		require.ErrorContains(t, err, file+" is 18253611008 bytes long, more than the ")
		require.Less(t, got, uint64(4<<20), file)
	}
}

// A small file of the store that unpacks to a large one is refused by its header.
func TestPackedBomb(t *testing.T) {
	for _, c := range []struct {
		name, header string
		zeros        int64
		want         string
	}{
		{"rows", `{"__metadata__":{"format":"1","oov":"-1"},"rows":{"dtype":"F32","shape":[33554432,50],"data_offsets":[0,6710886400]}}`, 400 << 20,
			"bytes, more than the 4294967296 allowed"},
		{"more than it says", `{"__metadata__":{"format":"1","oov":"-1"},"rows":{"dtype":"F32","shape":[2,50],"data_offsets":[0,400]}}`, 400 << 20, "more follows the last tensor"},
		{"header", strings.Repeat(" ", 5<<20), 0, "header of 5242880 bytes, more than the 4194304 allowed"},
	} {
		dir := t.TempDir()
		cfg := config(t, "vectors=random")
		// The digest need not be right: the file is refused before it has been read.
		sum := sha256.Sum256([]byte(c.name))
		cfg.Table = hex.EncodeToString(sum[:])
		require.NoError(t, train(dir, cfg))
		r := must.Get(runs.Lookup(dir, &cfg))(t)
		path := filepath.Join(dir, ".store", cfg.Table+".safetensors.zst")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		pack(t, path, c.header, c.zeros)
		got, err := taken(func() error { _, err := r.Table(); return err })
		require.True(t, runs.IsDamage(err), "%v", err)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, filepath.Base(path))
		require.Less(t, got, uint64(24<<20), c.name) // the decoder's own
	}
}

func pack(t *testing.T, path, header string, zeros int64) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	z := must.Get(zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))(t)
	for len(header)%8 != 0 {
		header += " "
	}
	require.NoError(t, binary.Write(z, binary.LittleEndian, uint64(len(header))))
	_, err := io.Copy(z, io.MultiReader(strings.NewReader(header), io.LimitReader(zero{}, zeros/16))) // enough to see
	require.NoError(t, err)
	require.NoError(t, z.Close())
}

type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }
