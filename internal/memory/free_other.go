//go:build !linux

package memory

func free() (int64, bool) { return 0, false }
