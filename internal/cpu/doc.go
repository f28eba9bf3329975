// Package cpu answers which processor this is.
package cpu
