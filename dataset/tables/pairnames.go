package tables

import (
	"slices"
	"strings"
)

// sideNames are other usual names of source and target.
var sideNames = [][2]string{
	{"src", "tgt"}, {"src", "trg"}, {"input", "output"}, {"original", "translation"}, {"text", "translation"}, {"sentence", "translation"}, {"lang1", "lang2"},
}

// languages are the names of columns that hold sentences of a language, one language per line:
// its codes and its names in English, French and itself. Codes that are English words are
// omitted (la, no, so, my) or listed as everyday: a list of words may begin with them.
var languages = [][]string{
	strings.Fields("ar ara arabic arabe"),
	strings.Fields("cs ces cze czech tchèque čeština"),
	strings.Fields("da dan danish danois dansk"),
	strings.Fields("de deu ger german allemand deutsch"),
	strings.Fields("el ell gre greek grec ελληνικά"),
	strings.Fields("en eng english anglais"),
	strings.Fields("eo epo esperanto espéranto"),
	strings.Fields("es spa spanish espagnol español"),
	strings.Fields("fi fin finnish finnois suomi"),
	strings.Fields("fr fra fre french français francais"),
	strings.Fields("he heb hebrew hébreu עברית"),
	strings.Fields("hi hin hindi हिन्दी"),
	strings.Fields("hu hun hungarian hongrois magyar"),
	strings.Fields("it ita italian italien italiano"),
	strings.Fields("ja jpn japanese japonais 日本語"),
	strings.Fields("ko kor korean coréen 한국어"),
	strings.Fields("lat latin"),
	strings.Fields("nl nld dut dutch néerlandais nederlands"),
	strings.Fields("nb nob nor norwegian norvégien norsk"),
	strings.Fields("pl pol polish polonais polski"),
	strings.Fields("pt por portuguese portugais português"),
	strings.Fields("ro ron rum romanian roumain română"),
	strings.Fields("ru rus russian russe русский"),
	strings.Fields("sv swe swedish suédois svenska"),
	strings.Fields("tr tur turkish turc türkçe"),
	strings.Fields("uk ukr ukrainian ukrainien українська"),
	strings.Fields("vi vie vietnamese vietnamien"),
	strings.Fields("zh zho chi chinese chinois 中文"),
}

// everyday are codes that are also English words. Next to a name of English they are
// languages; otherwise the row may be a pair.
var everyday = strings.Fields("he hi it fin")

// language returns the index in languages of a name, also with a region (en-US, pt_BR), or -1.
func language(name string) int {
	if i := strings.IndexAny(name, "-_"); i == 2 || i == 3 {
		name = name[:i]
	}
	return slices.IndexFunc(languages, func(of []string) bool {
		return slices.ContainsFunc(of, func(n string) bool { return strings.EqualFold(n, name) })
	})
}

// namedSides finds source and target in a first row of other names: a pair of sideNames, or two
// languages. ok is false if the row may be a pair itself, such as english and anglais.
func namedSides(a, b string) (source, target int, ok bool) {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	for _, n := range sideNames {
		switch {
		case strings.EqualFold(a, n[0]) && strings.EqualFold(b, n[1]):
			return 0, 1, true
		case strings.EqualFold(a, n[1]) && strings.EqualFold(b, n[0]):
			return 1, 0, true
		}
	}
	x, y, english := language(a), language(b), language("en")
	for _, side := range []string{a, b} {
		if slices.Contains(everyday, strings.ToLower(side)) && x != english && y != english {
			return 0, 1, false
		}
	}
	return 0, 1, x >= 0 && y >= 0 && x != y
}
