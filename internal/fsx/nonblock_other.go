//go:build windows || js

package fsx

const nonblock = 0 // there are no FIFOs in folders
