package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"imdbexp/dataset/internal/stream"
)

// readJSONL reads one object a line. The keys of the first one are the columns.
func readJSONL(t *table, in *text) error {
	names := &t.how.Columns
	return in.each(func(line []byte) error {
		p := atLine(in.line)
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			return nil
		case line[0] == '[':
			return t.fail(p, "", errors.New("is an array, not a JSON object on one line: write one object a line, for example with jq -c '.[]'"))
		case !utf8.Valid(line): // json would replace invalid UTF-8 silently
			return t.bad(p, Roles, check(string(line)).Error())
		}
		var values map[string]json.RawMessage
		if err := json.Unmarshal(line, &values); err != nil {
			return t.bad(p, Roles, fmt.Sprintf("is not a JSON object on one line (%v): jq -c . writes one object a line", err))
		}
		err := t.objectColumns(values)
		if err != nil {
			return t.fail(p, "", err)
		}
		var f fields
		for role, name := range names {
			if name == "" {
				continue
			}
			if f[role], err = t.jsonField(role, values[name]); err != nil {
				return t.bad(p, role, err.Error())
			}
		}
		return t.emitter.record(p, f)
	})
}

// objectColumns chooses the columns by the keys of an object. The first object decides the columns
// of texts and labels; any other column is decided by the first object that has it.
func (t *table) objectColumns(object map[string]json.RawMessage) (err error) {
	names := &t.how.Columns
	if t.known && (t.o.Unlabelled || names[Rationale] != "" && names[Split] != "") {
		return nil
	}
	keys := slices.Sorted(maps.Keys(object))
	t.columns, err = chooseColumns(keys, t.o)
	if !t.known && err != nil {
		return err
	}
	for role, i := range t.columns {
		if names[role] == "" && i >= 0 && (!t.known || role > Label) {
			names[role] = keys[i]
		}
	}
	t.known = true
	return nil
}

// jsonField reads the value of a role. Texts are strings. Labels, names and parts are strings, or
// numbers and booleans as they are written.
func (t *table) jsonField(role int, v json.RawMessage) (s string, err error) {
	null := v == nil || string(v) == "null"
	switch {
	case role == Text, role == Title, t.o.Pairs:
		if v == nil && role != Split && role != Title {
			return "", errors.New("is missing in this object: add it, or remove the line")
		}
		if null {
			return "", nil
		}
		if json.Unmarshal(v, &s) != nil {
			return "", fmt.Errorf("is not a string but %s: quote it%s", stream.Quote(string(v)), t.otherColumn(role))
		}
		return s, nil
	case null:
		return "", nil // record reports a missing label
	case v[0] == '{' || v[0] == '[':
		return "", fmt.Errorf("is neither a string nor a number but %s: change it%s", stream.Quote(string(v)), t.otherColumn(role))
	case v[0] == '"':
		err = json.Unmarshal(v, &s)
		return s, err
	}
	return string(v), nil
}

// otherColumn returns the advice to choose another column for a role, "" if there is no flag for it.
func (t *table) otherColumn(role int) string {
	if t.o.Pairs || role == ID || role == Split {
		return ""
	}
	return ", or choose another column with --" + roleNames[role] + "-column"
}

// fastTextPrefix marks labels in files for the program fastText.
const fastTextPrefix = "__label__"

// readPlain reads one text per line, all of one class or without labels.
func readPlain(t *table, in *text) error {
	return in.each(func(line []byte) error {
		if t.o.Class != "" && bytes.HasPrefix(bytes.TrimSpace(line), []byte(fastTextPrefix)) {
			return t.fail(atLine(in.line), "", errors.New("begins with a label: add the file without --class"))
		}
		return t.emitter.record(atLine(in.line), fields{Text: string(line), Label: t.o.Class})
	})
}

// readLabelled reads lines that begin with their label. A blank or a tab ends a label that begins
// with fastTextPrefix. Other labels end with a tab if the first line has one, with a blank
// otherwise.
func readLabelled(t *table, in *text) error {
	end, first := "", false // characters that end a label; whether the first label has the prefix
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
		p := atLine(in.line)
		if first && !prefixed {
			return t.bad(p, Roles, "does not begin with "+fastTextPrefix+", as the first line does")
		}
		label, text := string(name), ""
		if i := strings.IndexAny(label, end); i >= 0 {
			label, text = label[:i], label[i+1:]
		} else if end == "\t" {
			return t.bad(p, Roles, "has no tab after the label, as the first line has")
		}
		if prefixed && strings.HasPrefix(strings.TrimSpace(text), fastTextPrefix) {
			return t.bad(p, Roles, "has two labels: keep one")
		}
		return t.emitter.record(p, fields{Text: text, Label: label})
	})
}

// spanList matches a rationale written as spans of characters: 12-20 35-41.
var spanList = regexp.MustCompile(`^\d+-\d+([ ,;]+\d+-\d+)*$`)

// marked returns the parts of a text that its rationale marks. A rationale is either spans of
// characters, from 0, end exclusive (12-20 35-41), or words of the text, separated by |
// (not funny|a waste). Words mark all their occurrences as whole words.
func marked(text, rationale string) (spans [][2]int, err error) {
	rationale = strings.TrimSpace(rationale)
	switch {
	case rationale == "":
		return nil, nil
	case spanList.MatchString(rationale):
		spans, err = spansOf(text, rationale)
	default:
		spans, err = wordsOf(text, rationale)
	}
	return JoinSpans(spans), err
}

func spansOf(text, rationale string) (spans [][2]int, err error) {
	at := make([]int, 0, len(text)+1) // of each character
	for i := range text {
		at = append(at, i)
	}
	at = append(at, len(text))
	for _, part := range strings.FieldsFunc(rationale, func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
		a, b, _ := strings.Cut(part, "-")
		from, err1 := strconv.Atoi(a)
		to, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || from >= to || to >= len(at) {
			return nil, fmt.Errorf("%s is outside the text of %d characters: write FROM-TO, from 0, end exclusive", part, len(at)-1)
		}
		spans = append(spans, [2]int{at[from], at[to]})
	}
	return spans, nil
}

func wordsOf(text, rationale string) (spans [][2]int, err error) {
	for part := range strings.SplitSeq(rationale, "|") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		found := false
		for _, m := range regexp.MustCompile(regexp.QuoteMeta(part)).FindAllStringIndex(text, -1) {
			if whole(text, m[0], m[1]) {
				spans, found = append(spans, [2]int(m)), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s is not in the text: give words of the text, separated by |, or spans of characters such as 12-20 35-41", stream.Quote(part))
		}
	}
	return spans, nil
}

// whole reports whether a part begins and ends at word boundaries.
func whole(text string, a, b int) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(text[:a])
	first, _ := utf8.DecodeRuneInString(text[a:])
	last, _ := utf8.DecodeLastRuneInString(text[:b])
	after, _ := utf8.DecodeRuneInString(text[b:])
	return !(letter(before) && letter(first)) && !(letter(last) && letter(after))
}

// JoinSpans sorts spans and joins spans that touch or overlap.
func JoinSpans(spans [][2]int) (out [][2]int) {
	slices.SortFunc(spans, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}

var entity = regexp.MustCompile(`\\[n"]|&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// escapes are the backslash escapes of some tables (Yelp's, Amazon's).
var escapes = strings.NewReplacer(`\n`, "\n", `\"`, `"`)

// decodeEntities replaces HTML entities such as &quot;, and the escapes \n and \", by their characters. It
// moves the spans of a rationale accordingly.
func decodeEntities(text string, spans [][2]int) (decoded string, changed bool) {
	if !strings.ContainsAny(text, `&\`) {
		return text, false
	}
	var b strings.Builder
	part := func(s string) {
		b.WriteString(entity.ReplaceAllStringFunc(s, func(e string) string { return escapes.Replace(html.UnescapeString(e)) }))
	}
	done := 0
	for i := range spans {
		for end, at := range spans[i] {
			part(text[done:at])
			done, spans[i][end] = at, b.Len()
		}
	}
	part(text[done:])
	return b.String(), b.String() != text
}
