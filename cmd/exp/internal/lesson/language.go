package lesson

import (
	"cmp"
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

// french has the texts around a lesson.
var french = map[string]string{
	"All lessons": "Toutes les leçons",
	"Answer":      "Réponse",
	"Hint":        "Indice",
	notebookNote: "*Voici la leçon %d de `exp` sous forme de notebook. Placez-le dans un dossier vide ; `exp` doit se trouver dans votre PATH. Exécutez les cellules l'une après l'autre, " +
		"après avoir noté vos prédictions. Un triangle ouvre ce qui est caché. Pour vérifier une réponse, écrivez-la à la place du point d'interrogation.*",
	"Prediction %s":                 "Prédiction %s",
	": ":                            " : ",
	"Right.":                        "C'est juste.",
	"you typed “%s”. The result: ":  "vous avez tapé « %s ». Le résultat : ",
	"# Attention: what is prepared": "# L'attention : ce qui est préparé",
	"- [The lessons](handouts/index.html), and a page [for teachers](handouts/teachers.html)": "- [Les leçons](handouts/index.html), et une page [pour l'enseignant](handouts/teachers.html)",
	"- [The report](report/report.html) on the runs of the lessons":                           "- [Le rapport](report/report.html) (en anglais) sur les entraînements des leçons",
	"- [The models next to each other](page.html): they answer any text, without a network":   "- [Les modèles côte à côte](page.html) : ils répondent à tout texte, sans réseau",
	"picture": "figure",
	"(check: exp lesson %d --check %d ANSWER)":       "(vérifier : exp lesson %d --check %d RÉPONSE --lang fr)",
	"answers: exp lesson %d --answers":               "solutions : exp lesson %d --answers --lang fr",
	"(Enter: go on, q: leave) ":                      "(Entrée : continuer, q : quitter) ",
	"(Enter: show the output; or type the command) ": "(Entrée : montrer le résultat ; ou tapez la commande) ",
	"your prediction: ":                              "votre prédiction : ",
	"your answer (Enter: show the solution): ":       "votre réponse (Entrée : montrer la solution) : ",
	"Not right. Hint: %s":                            "Ce n'est pas juste. Indice : %s",
	"lesson %d, exercise %d: %s is not right. Hint: %s exp lesson %d --answers %d shows the solution": "leçon %d, exercice %d : %s n'est pas juste. Indice : %s exp lesson %d --answers %d --lang fr montre la solution",
	"the answer is the letter of a choice, such as a":                                                 "la réponse est la lettre d'un choix, par exemple a",
	"the answer is a number, such as 0.5, 94,3 %% or ln 2; cannot read %q":                            "la réponse est un nombre, par exemple 0,5, 94,3 %% ou ln 2 ; impossible de lire %q",
}
