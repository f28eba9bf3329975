package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

// at returns the folder of a cache. The folder may be a link, because people put large caches on
// other disks; the files in it may not.
func at(cache string) fsx.Dir { return fsx.In(cache) }

// Lock takes the lock of the cache folder, and waits while another process fills the cache. It is
// taken before the slow reading begins, so processes started together do that work once.
func Lock(ctx context.Context, cache string) (unlock func(), err error) {
	if err := at(cache).Make(); err != nil {
		return nil, err
	}
	for {
		lock, err := at(cache).Acquire("lock")
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

// stamp stores the content digest of a file or folder. While the file has not changed, it is
// not read again.
type stamp struct {
	Path   string `json:"path"`
	State  string `json:"state"` // sizes and times of change
	Digest string `json:"digest"`
}

// stampFile names the file of the stamp of a file, or of a member of a zip.
func stampFile(path, member string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + member))
	return "stamp-" + hex.EncodeToString(sum[:8]) + ".json"
}

// ReadStamp returns the remembered digest, or "".
func ReadStamp(cache, path, member string) string {
	var s stamp
	state, err1 := StateOf(path)
	b, err2 := at(cache).ReadFile(stampFile(path, member), 1<<16)
	if err1 != nil || err2 != nil || json.Unmarshal(b, &s) != nil || s.Path != path || s.State != state {
		return ""
	}
	return s.Digest
}

// WriteStamp remembers the digest of path as it was when state was taken.
func WriteStamp(cache, path, member, state, digest string) error {
	b, err := json.Marshal(stamp{path, state, digest})
	if err != nil {
		return err
	}
	return at(cache).WriteBytes(stampFile(path, member), append(b, '\n'))
}

// RemoveStamp forgets the digest of a file, or of a member of a zip.
func RemoveStamp(cache, path, member string) error { return at(cache).Remove(stampFile(path, member)) }

// StateOf describes a file by size and time of change, and a folder by the sizes and times of all
// its files.
func StateOf(path string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(p) // which follows links
		if err == nil && !info.IsDir() {
			fmt.Fprintf(h, "%q %d %d\n", p, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// Forget removes the cache files of a content.
func Forget(cache, digest string) (all error) {
	entries, _ := at(cache).Entries()
	for _, e := range entries {
		if len(digest) >= 16 && strings.Contains(e.Name(), "-"+digest[:16]+"-") && strings.HasSuffix(e.Name(), ".bin") {
			all = errors.Join(all, at(cache).Remove(e.Name()))
		}
	}
	return all
}
