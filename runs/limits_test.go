package runs_test

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"crypto/sha256"
	"encoding/hex"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

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
		r, err := runs.Lookup(dir, &c)
		require.NoError(t, err)
		path := filepath.Join(r.Path, file)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
		require.NoError(t, err)
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
		r, err := runs.Lookup(dir, &cfg)
		require.NoError(t, err)
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
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	for len(header)%8 != 0 {
		header += " "
	}
	require.NoError(t, binary.Write(z, binary.LittleEndian, uint64(len(header))))
	_, err = io.Copy(z, io.MultiReader(strings.NewReader(header), io.LimitReader(zero{}, zeros/16))) // enough to see
	require.NoError(t, err)
	require.NoError(t, z.Close())
}

type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }
