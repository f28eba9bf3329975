//go:build !unix

package mapped

import "os"

// open maps nothing: Windows cannot replace or remove a mapped file.
func open(*os.File, int) []byte { return nil }

func release([]byte) {}
