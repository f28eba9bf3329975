package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"imdbexp/internal/settings"
)

// Explain returns the text of an error that ends a command, with advice.
func (a *App) Explain(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(e, fs.ErrNotExist) {
		if name := a.typed(e.Path); name != "" && e.Op != "mkdir" && a.gone(e) == "" {
			text = strings.Replace(text, e.Error(), missing(name), 1)
		}
	}
	return text + a.Hint(err)
}

// typed returns the name of a file as it is in the command line, or "": as a word, the value of a flag,
// a setting or a class (vectors=FILE).
func (a *App) typed(file string) string {
	same := func(name string) bool {
		x, err1 := filepath.Abs(name)
		y, err2 := filepath.Abs(file)
		return name != "" && err1 == nil && err2 == nil && x == y
	}
	for _, word := range a.Args {
		_, value, _ := strings.Cut(word, "=")
		_, last, _ := strings.Cut(value, "=") // --class=pos=FILE
		for _, name := range []string{word, value, last} {
			if same(name) {
				return name
			}
		}
	}
	return ""
}

// missing returns the message for a file that does not exist, with a similar name in its folder if
// there is one.
func missing(name string) string {
	text := "there is no file " + name
	if dir, err := os.Getwd(); err == nil && !filepath.IsAbs(name) {
		text += " in " + dir
	}
	list, _ := os.ReadDir(filepath.Dir(name))
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return text + cmp.Or(settings.Nearest(filepath.Base(name), names), ": check its name and folder")
}
