// Package guard turns panics into errors with a stack trace. Every goroutine and every command of
// this program runs under it.
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

// Call calls f. It returns a panic of f as an *Error, and a memory fault too: a mapped file that
// was truncated, or whose disk failed.
func Call(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{p, debug.Stack()}
		}
	}()
	return f()
}

// Func returns a function that calls f under Call, for errgroup.Group.Go.
func Func(f func() error) func() error { return func() error { return Call(f) } }
