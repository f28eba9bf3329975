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
		case !utf8.Valid(line): // package json would replace it silently
			return t.bad(p, RowError{Role: Roles, What: check(string(line)).Error()})
		}
		keys, values, err := jsonObject(line)
		if err != nil {
			return t.bad(p, RowError{Role: Roles, What: err.Error()})
		}
		if err := t.objectColumns(keys); err != nil {
			return t.fail(p, "", err)
		}
		var f fields
		for role, name := range names {
			if name == "" {
				continue
			}
			if f[role], err = t.jsonField(role, values[name]); err != nil {
				return t.bad(p, RowError{Role: role, What: err.Error()})
			}
		}
		return t.emitter.record(p, f)
	})
}

// objectColumns chooses the columns by the keys of an object. The first object decides the columns
// of texts and labels; any other column is decided by the first object that has it.
func (t *table) objectColumns(keys []string) (err error) {
	names := &t.how.Columns
	if t.known && (t.o.Unlabelled || names[Rationale] != "" && names[Split] != "") {
		return nil
	}
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

// twice returns the first key that a valid object has twice; "" for none.
func twice(object []byte) string {
	in, seen := json.NewDecoder(bytes.NewReader(object)), map[json.Token]bool{}
	for _, err := in.Token(); err == nil && in.More(); {
		var key json.Token
		if key, err = in.Token(); err == nil {
			err = in.Decode(new(json.RawMessage))
		}
		if seen[key] {
			return fmt.Sprint(key)
		}
		seen[key] = true
	}
	return ""
}

// jsonObject returns the keys of an object, sorted, and their values.
func jsonObject(line []byte) (keys []string, values map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(line, &values); err != nil {
		return nil, nil, fmt.Errorf("is not a JSON object on one line (%w; jq -c . writes each on one)", err)
	}
	if len(values) > maxColumns {
		return nil, nil, errWide
	}
	if name := twice(line); name != "" {
		return nil, nil, fmt.Errorf("has the key %s twice: remove one", stream.Quote(name))
	}
	return slices.Sorted(maps.Keys(values)), values, nil
}

// jsonField reads the value of a role. Texts are strings. Labels, names and parts are strings, or
// numbers and booleans as they are written.
func (t *table) jsonField(role int, v json.RawMessage) (s string, err error) {
	null := v == nil || string(v) == "null"
	switch {
	case role == Rationale:
		return jsonRationale(v)
	case role == Text, role == Title, t.o.Pairs:
		if v == nil && role != Split && role != Title {
			return "", errors.New("is missing in this object: add it, or remove the line")
		}
		if null {
			return "", nil
		}
		if json.Unmarshal(v, &s) != nil {
			return "", fmt.Errorf("is not a string but %s: quote it, or choose another column with --text-column", stream.Quote(string(v)))
		}
		return s, nil
	case null:
		return "", nil // of a label that is needed, record returns the error
	case v[0] == '{' || v[0] == '[':
		return "", fmt.Errorf("is neither a string nor a number but %s: make it one, or choose another column with --%s-column", stream.Quote(string(v)), roleNames[role])
	case v[0] == '"':
		err = json.Unmarshal(v, &s)
		return s, err
	}
	return string(v), nil
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
		p := atLine(in.line)
		if first && !prefixed {
			return t.bad(p, RowError{Role: Roles, What: "does not begin with " + fastTextPrefix + ", as the first line does"})
		}
		label, text := string(name), ""
		if i := strings.IndexAny(label, end); i >= 0 {
			label, text = label[:i], label[i+1:]
		} else if end == "\t" {
			return t.bad(p, RowError{Role: Roles, What: "has no tab after the label, as the first line has"})
		}
		if i := strings.IndexAny(label, ",;") + 1; prefixed && i > 0 && (i == len(label) || label[i] < '0' || label[i] > '9') { // but 1,5 is a number
			return t.bad(p, RowError{Role: Roles, What: fmt.Sprintf("the label %q holds %q", label, label[i-1:i]), Fix: "put a blank instead of it between label and text"})
		}
		if prefixed && strings.HasPrefix(strings.TrimSpace(text), fastTextPrefix) {
			return t.bad(p, RowError{Role: Roles, What: "has two labels", Fix: "keep one"})
		}
		return t.emitter.record(p, fields{Text: text, Label: label})
	})
}

// places matches a rationale written as spans of characters: 12-20 35-41.
var places = regexp.MustCompile(`^\d+-\d+([ ,;]+\d+-\d+)*$`)

// marked returns the parts of a text that its rationale marks. A rationale is either spans of
// characters, from 0, end exclusive (12-20 35-41), or words of the text, separated by |
// (not funny|a waste). Words mark all their occurrences as whole words.
func marked(text, rationale string) (spans [][2]int, err error) {
	rationale = strings.TrimSpace(rationale)
	switch {
	case rationale == "":
		return nil, nil
	case places.MatchString(rationale):
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

// whole reports whether a part begins and ends at the boundary of a word.
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

// jsonRationale reads a rationale in JSON: a string as in other tables, a list of words,
// or a list of [from, to].
func jsonRationale(v json.RawMessage) (s string, err error) {
	var words []string
	var spans [][]int
	switch {
	case v == nil || string(v) == "null":
		return "", nil
	case json.Unmarshal(v, &s) == nil:
		return s, nil
	case json.Unmarshal(v, &words) == nil:
		return strings.Join(words, "|"), nil
	case json.Unmarshal(v, &spans) == nil:
		for _, p := range spans {
			if len(p) != 2 {
				return "", errors.New("a span is two numbers, [from, to]")
			}
			words = append(words, fmt.Sprintf("%d-%d", p[0], p[1]))
		}
		return strings.Join(words, " "), nil
	}
	return "", fmt.Errorf("is not a rationale but %s: give words of the text, or spans such as [[12, 20], [35, 41]]", stream.Quote(string(v)))
}

var entity = regexp.MustCompile(`\\[n"]|&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// escapes are two characters that stand for one in some tables (Yelp's, Amazon's).
var escapes = strings.NewReplacer(`\n`, "\n", `\"`, `"`)

// decodeEntities replaces HTML entities such as &quot;, \n and \" by their characters and moves the spans
// of a rationale with them. changed reports whether there were any.
func decodeEntities(text string, spans [][2]int) (decoded string, changed bool) {
	if !strings.ContainsAny(text, `&\`) {
		return text, false
	}
	var b strings.Builder
	done, shift := 0, 0
	for _, m := range entity.FindAllStringIndex(text, -1) {
		char := escapes.Replace(html.UnescapeString(text[m[0]:m[1]]))
		if char == text[m[0]:m[1]] {
			continue // no entity of HTML has this name
		}
		b.WriteString(text[done:m[0]])
		b.WriteString(char)
		done = m[1]
		for i := range spans {
			for end := range spans[i] {
				switch at := &spans[i][end]; {
				case *at+shift >= m[1]:
					*at -= m[1] - m[0] - len(char)
				case *at+shift > m[0]: // inside the entity
					*at = m[0] - shift + end*len(char)
				}
			}
		}
		shift += m[1] - m[0] - len(char)
	}
	b.WriteString(text[done:])
	return b.String(), done > 0
}
