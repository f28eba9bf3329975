package tables

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// fastTextPrefix marks labels in files for the program fastText.
const fastTextPrefix = "__label__"

// readPlain reads a text a line, all of one class, or without labels.
func readPlain(e *emitter, in *text) (How, error) {
	how := How{Format: Plain}
	var buf []byte
	for {
		var err error
		if buf, err = in.next(buf); err == io.EOF {
			return how, nil
		} else if err != nil {
			return how, err
		}
		if err := e.record(place{unit: "line", number: in.line}, how, e.o.Class, string(buf)); err != nil {
			return how, err
		}
	}
}

// readLabelled reads lines that begin with their label. Where the first line has
// a tab, tabs end the labels; otherwise the first blank does.
func readLabelled(e *emitter, in *text) (How, error) {
	how := How{Format: Lines}
	var buf []byte
	end := ""
	for {
		var err error
		if buf, err = in.next(buf); err == io.EOF {
			return how, nil
		} else if err != nil {
			return how, err
		}
		if len(bytes.TrimSpace(buf)) == 0 {
			continue
		}
		if end == "" {
			end = " "
			if bytes.IndexByte(buf, '\t') >= 0 {
				end = "\t"
			}
		}
		p := place{unit: "line", number: in.line}
		line := string(buf)
		label, text, found := strings.Cut(line, end)
		if !found && end == "\t" {
			return how, e.fail(p, "", errors.New("no tab after the label, as the first line has one"))
		}
		if name, ok := strings.CutPrefix(label, fastTextPrefix); ok {
			if label = name; strings.HasPrefix(text, fastTextPrefix) {
				return how, e.fail(p, "", errors.New("has two labels: one is wanted"))
			}
		}
		if err := e.record(p, how, label, text); err != nil {
			return how, err
		}
	}
}
