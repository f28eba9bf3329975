package lesson

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
)

// pair is a text of a lesson in both languages. The stamp is a digest of the English that the French was
// written for; a test compares it.
type pair struct{ english, stamp, french string }

// translate returns the text of a lesson in a language, and all pairs. The French follows the English
// paragraph or comment that it stands for: <!-- fr STAMP, a line end, the text, a line end and -->.
// All else (commands, output, pictures, formulas, answers) is there once, for both languages.
func translate(bilingual, lang string) (string, []pair) {
	parts := strings.Split(bilingual, "\n<!-- fr ")
	out, pairs := parts[0], []pair{}
	for _, part := range parts[1:] {
		note, rest, _ := strings.Cut(part, "\n-->")
		stamp, french, _ := strings.Cut(note, "\n")
		out = strings.TrimSuffix(out, "\n")
		begin, end := strings.LastIndex("\n\n"+out, "\n\n"), len(out)
		if strings.HasSuffix(out, " -->") { // such as <!-- hint: TEXT -->
			begin = strings.LastIndex(out, "<!-- ")
			begin, end = begin+strings.Index(out[begin:], ": ")+2, len(out)-len(" -->")
		}
		pairs = append(pairs, pair{out[begin:end], stamp, french})
		if lang == "fr" {
			out = out[:begin] + typeset(french) + out[end:]
		}
		out += rest
	}
	if lang == "fr" {
		out = strings.ReplaceAll(out, "<summary>Answer<", "<summary>"+french["Answer"]+"<")
		out = solved.ReplaceAllStringFunc(out, func(s string) string { return strings.ReplaceAll(s, ".", ",") })
	}
	return out, pairs
}

var (
	noBreak = strings.NewReplacer(" :", "\u00a0:", " ;", "\u00a0;", " !", "\u00a0!", " ?", "\u00a0?", " »", "\u00a0»", "« ", "«\u00a0", "'", "’")
	numbers = regexp.MustCompile(`(\d) (\d{3}\b|%)`)
)

// typeset sets the no-break spaces and apostrophes of French, except in code.
func typeset(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = numbers.ReplaceAllString(noBreak.Replace(parts[i]), "$1\u00a0$2")
	}
	return strings.Join(parts, "`")
}

// in returns one of the texts around a lesson in the language of the lesson.
func (l *lesson) in(text string) string {
	if l.lang == "fr" {
		return typeset(cmp.Or(french[text], text))
	}
	return text
}

// flag returns the flag that asks for the lesson's language.
func (l *lesson) flag() string {
	if l.lang == "fr" {
		return " --lang fr"
	}
	return ""
}

//go:embed fr.json
var frenchJSON []byte

// french has the texts around a lesson.
var french = func() (texts map[string]string) {
	if err := json.Unmarshal(frenchJSON, &texts); err != nil {
		panic(err) // the file is part of the program
	}
	return texts
}()
