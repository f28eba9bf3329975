// Package lessons holds the lessons as they are read, for the program to carry them.
package lessons

import "embed"

// Files are the lessons, a Markdown file each, and their pictures.
//
//go:embed *.md img
var Files embed.FS
