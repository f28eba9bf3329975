// Package guard keeps a mistake in this program from ending the process: a panic
// becomes an error that says where it was. Every goroutine that does work of ours
// runs under one, and so does every command.
package guard

import (
	"fmt"
	"runtime/debug"
)

// Error is a recovered panic.
type Error struct {
	Value any    // argument of panic
	Stack []byte // stack trace
}

// Error returns the value and the stack.
func (e *Error) Error() string { return fmt.Sprintf("internal error: %v\n%s", e.Value, e.Stack) }

// Call calls f; a panic of f is an error that wraps *Error. So is a fault: memory of a file
// that is mapped, and that somebody has cut off or whose disk has failed.
func Call(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{p, debug.Stack()}
		}
	}()
	return f()
}

// Func is f under Call, for errgroup.Group.Go.
func Func(f func() error) func() error { return func() error { return Call(f) } }
