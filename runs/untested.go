package runs

import "io/fs"

// UntestedError says that a run has no answers on test because it never looks at it, as
// the trials of a search. It wraps fs.ErrNotExist.
type UntestedError struct{}

func (*UntestedError) Error() string { return "it never looked at test (test=never)" }

// Unwrap returns that there is no such file.
func (*UntestedError) Unwrap() error { return fs.ErrNotExist }

// Untested reports whether the run never looks at test.
func (c *Config) Untested() bool { return c.General().Test == "never" }
