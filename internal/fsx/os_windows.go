package fsx

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"
	"golang.org/x/sys/windows"
)

// replace gives a file the name of another. Windows refuses while somebody
// reads the other one, which lasts a moment: try for a second. It goes by paths, for what
// os.Root renames may be lost by a power cut; a file that is a link is not followed, and
// that no folder above it is one has been seen a moment before.
func replace(_ *os.Root, dir, from, to string) error {
	for try := 0; ; try++ {
		err := atomic.ReplaceFile(filepath.Join(dir, from), filepath.Join(dir, to))
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || try == 50 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// syncDir does nothing: Windows has no such thing, and replace writes through.
func syncDir(*os.Root) error { return nil }
