package tables

import (
	"html"
	"regexp"
	"strings"
)

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
