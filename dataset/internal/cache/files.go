package dataset

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"imdbexp/internal/fsx"
)

// lockCache takes the lock of the cache folder, waiting for whoever fills it. It
// is tried for before anything is read that takes long, so that processes
// started together do that work once.
func lockCache(ctx context.Context, cache string) (unlock func(), err error) {
	if err := fsx.MkdirAll(cache); err != nil {
		return nil, err
	}
	for {
		lock, err := fsx.Acquire(filepath.Join(cache, "lock"))
		if err == nil {
			return func() { _ = lock.Release() }, nil
		}
		if held := new(fsx.HeldError); !errors.As(err, &held) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stamp remembers the content digest of a file or folder, so that it is not
// read again while nothing about it has changed.
type stamp struct {
	Path   string `json:"path"`
	State  string `json:"state"` // sizes and times of change
	Digest string `json:"digest"`
}

func stampFile(cache, path, member string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + member))
	return filepath.Join(cache, "stamp-"+hex.EncodeToString(sum[:8])+".json")
}

// readStamp returns the remembered digest, or "".
func readStamp(cache, path, member string) string {
	state, err := stateOf(path)
	if err != nil {
		return ""
	}
	b, err := fsx.ReadFile(stampFile(cache, path, member), 1<<16)
	if err != nil {
		return ""
	}
	var s stamp
	if json.Unmarshal(b, &s) != nil || s.Path != path || s.State != state {
		return ""
	}
	return s.Digest
}

// writeStamp remembers the digest of path as it was when state was taken.
func writeStamp(cache, path, member, state, digest string) error {
	b, err := json.Marshal(stamp{path, state, digest})
	if err != nil {
		return err
	}
	return fsx.WriteBytes(stampFile(cache, path, member), append(b, '\n'))
}

// stateOf describes a file by size and time of change, a folder by those of all
// files in it.
func stateOf(path string) (string, error) {
	h := sha256.New()
	w := bufio.NewWriter(h)
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return nil
		}
		return json.NewEncoder(w).Encode([]any{p, info.Size(), info.ModTime().UnixNano()})
	})
	if err != nil {
		return "", err
	}
	w.Flush()
	return hex.EncodeToString(h.Sum(nil)), nil
}
