package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"imdbexp/dataset/internal/stream"
)

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
		for from := strings.Index(text, part); from >= 0; {
			to := from + len(part)
			if whole(text, from, to) {
				spans, found = append(spans, [2]int{from, to}), true
			}
			if from = strings.Index(text[to:], part); from >= 0 {
				from += to
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
