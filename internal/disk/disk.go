// Package disk tells how much room a file system has.
package disk

// Free returns how many bytes this user may still write beneath a folder, which
// has to be there. ok is false where the system does not tell.
func Free(folder string) (bytes int64, ok bool) { return free(folder) }
