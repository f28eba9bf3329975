package tables

import (
	"bytes"
	"errors"
	"strings"
)

// fastTextPrefix marks labels in files for the program fastText.
const fastTextPrefix = "__label__"

// readPlain reads one text per line, all of one class or without labels.
func readPlain(e *emitter, in *text) (How, error) {
	how := How{Format: Plain}
	return how, in.each(func(line []byte) error {
		return e.record(place{unit: "line", number: in.line}, how, Record{Label: e.o.Class, Text: string(line)})
	})
}

// readLabelled reads lines that begin with their label. If the first line has a tab, a tab
// ends each label; otherwise the first blank does.
func readLabelled(e *emitter, in *text) (How, error) {
	how := How{Format: Lines}
	end, first := "", false // what ends a label; whether the first label has the prefix
	return how, in.each(func(line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		name, prefixed := bytes.CutPrefix(line, []byte(fastTextPrefix))
		if end == "" {
			end, first = " ", prefixed
			if bytes.IndexByte(name, '\t') >= 0 {
				end = "\t"
			}
		}
		p := place{unit: "line", number: in.line}
		if first && !prefixed {
			return e.fail(p, "", errors.New("does not begin with "+fastTextPrefix+", as the first line does"))
		}
		label, text, found := strings.Cut(string(name), end)
		if !found && end == "\t" {
			return e.fail(p, "", errors.New("has no tab after the label, as the first line has"))
		}
		if prefixed && strings.HasPrefix(text, fastTextPrefix) {
			return e.fail(p, "", errors.New("has two labels: keep one"))
		}
		return e.record(p, how, Record{Label: label, Text: text})
	})
}
