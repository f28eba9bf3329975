package tables

import (
	"bytes"
	"errors"
	"strings"
)

// fastTextPrefix marks labels in files for the program fastText.
const fastTextPrefix = "__label__"

// readPlain reads a text a line, all of one class, or without labels.
func readPlain(e *emitter, in *text) (How, error) {
	how := How{Format: Plain}
	return how, in.each(func(line []byte) error {
		return e.record(place{unit: "line", number: in.line}, how, Record{Label: e.o.Class, Text: string(line)})
	})
}

// readLabelled reads lines that begin with their label. Where the first line has
// a tab, tabs end the labels; otherwise the first blank does.
func readLabelled(e *emitter, in *text) (How, error) {
	how := How{Format: Lines}
	end := ""
	return how, in.each(func(line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if end == "" {
			end = " "
			if bytes.IndexByte(line, '\t') >= 0 {
				end = "\t"
			}
		}
		p := place{unit: "line", number: in.line}
		label, text, found := strings.Cut(string(line), end)
		if !found && end == "\t" {
			return e.fail(p, "", errors.New("no tab after the label, as the first line has one"))
		}
		if name, ok := strings.CutPrefix(label, fastTextPrefix); ok {
			if label = name; strings.HasPrefix(text, fastTextPrefix) {
				return e.fail(p, "", errors.New("has two labels: one is wanted"))
			}
		}
		return e.record(p, how, Record{Label: label, Text: text})
	})
}
