package fsx

import (
	"errors"
	"time"

	"github.com/natefinch/atomic"
	"golang.org/x/sys/windows"
)

// replace gives a file the name of another. Windows refuses while somebody
// reads the other one, which lasts a moment: try for a second.
func replace(from, to string) error {
	for try := 0; ; try++ {
		err := atomic.ReplaceFile(from, to)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || try == 50 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// syncDir does nothing: Windows has no such thing, and replace writes through.
func syncDir(string) error { return nil }
