package tables

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// fastTextPrefix marks labels in files for the program fastText.
const fastTextPrefix = "__label__"

// readPlain reads one text per line, all of one class or without labels.
func readPlain(t *table, in *text) error {
	return in.each(func(line []byte) error {
		if t.o.Class != "" && bytes.HasPrefix(bytes.TrimSpace(line), []byte(fastTextPrefix)) {
			return t.fail(place{unit: "line", number: in.line}, "", errors.New("begins with a label: add the file without --class"))
		}
		return t.emitter.record(place{unit: "line", number: in.line}, t.how.Columns, fields{Text: string(line), Label: t.o.Class})
	})
}

// readLabelled reads lines that begin with their label. A blank or a tab ends a label that begins
// with fastTextPrefix. Other labels end with a tab if the first line has one, with a blank
// otherwise.
func readLabelled(t *table, in *text) error {
	end, first := "", false // what ends a label; whether the first label has the prefix
	return in.each(func(line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		name, prefixed := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte(fastTextPrefix))
		if !prefixed {
			name = line
		}
		if end == "" {
			switch first = prefixed; {
			case prefixed:
				end = " \t"
			case bytes.IndexByte(name, '\t') >= 0:
				end = "\t"
			default:
				end = " "
			}
		}
		p := place{unit: "line", number: in.line}
		if first && !prefixed {
			return t.bad(p, t.how.Columns, RowError{Role: Roles, What: "does not begin with " + fastTextPrefix + ", as the first line does"})
		}
		label, text := string(name), ""
		if i := strings.IndexAny(label, end); i >= 0 {
			label, text = label[:i], label[i+1:]
		} else if end == "\t" {
			return t.bad(p, t.how.Columns, RowError{Role: Roles, What: "has no tab after the label, as the first line has"})
		}
		if i := strings.IndexAny(label, ",;") + 1; prefixed && i > 0 && (i == len(label) || label[i] < '0' || label[i] > '9') { // but 1,5 is a number
			return t.bad(p, t.how.Columns, RowError{Role: Roles, What: fmt.Sprintf("the label %q holds %q", label, label[i-1:i]), Fix: "put a blank instead of it between label and text"})
		}
		if prefixed && strings.HasPrefix(strings.TrimSpace(text), fastTextPrefix) {
			return t.bad(p, t.how.Columns, RowError{Role: Roles, What: "has two labels", Fix: "keep one"})
		}
		return t.emitter.record(p, t.how.Columns, fields{Text: text, Label: label})
	})
}
