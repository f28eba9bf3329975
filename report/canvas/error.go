package canvas

// Error is figures that could not be drawn. What they belong to is whole
// without them.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }
