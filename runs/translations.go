package runs

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// TranslationsFile holds the translations of the test pairs. In Python it is one line:
//
//	pandas.read_csv("translations.tsv", sep="\t", quoting=3, keep_default_na=False)
const TranslationsFile = "translations.tsv"

// Translation is a test pair with the model's translations by greedy decoding and beam
// search. Sentences are words separated by spaces. Scores are log-probabilities in nats of
// all words and the end, not divided by the length.
type Translation struct {
	Pair              string // name, such as test/0001
	Source, Reference string
	Greedy            string
	GreedyScore       float64
	Beam              string
	BeamScore         float64
}

// Translations are the translations of a split.
type Translations []Translation

// translationColumns are the columns of the file.
var translationColumns = []string{"pair", "source", "reference", "greedy", "greedy_score", "beam", "beam_score"}

// Write implements Answers. Scores have the fewest digits that identify the float64.
func (list Translations) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := append([]byte(strings.Join(translationColumns, "\t")), '\n')
	out.Write(line)
	for _, t := range list {
		if !finite(t.GreedyScore) || !finite(t.BeamScore) {
			return fmt.Errorf("translations: pair %s: scores %v and %v are not log-probabilities", t.Pair, t.GreedyScore, t.BeamScore)
		}
		line = line[:0]
		for _, field := range []string{t.Pair, t.Source, t.Reference, t.Greedy} {
			line = append(append(line, escape.Replace(field)...), '\t')
		}
		line = append(strconv.AppendFloat(line, t.GreedyScore, 'g', -1, 64), '\t')
		line = append(append(line, escape.Replace(t.Beam)...), '\t')
		line = append(strconv.AppendFloat(line, t.BeamScore, 'g', -1, 64), '\n')
		out.Write(line)
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

func (list Translations) count() int { return len(list) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// ParseTranslations parses the output of Write. Errors name file.
func ParseTranslations(file string, b []byte) (list Translations, err error) {
	err = parseTable(file, b, translationColumns, nil, func(fields []string) error {
		t, err := parseTranslation(fields)
		list = append(list, t)
		return err
	})
	return list, err
}

func parseTranslation(fields []string) (t Translation, err error) {
	for i, to := range []any{&t.Pair, &t.Source, &t.Reference, &t.Greedy, &t.GreedyScore, &t.Beam, &t.BeamScore} {
		switch to := to.(type) {
		case *string:
			*to = Unescape(fields[i])
		case *float64:
			if *to, err = strconv.ParseFloat(fields[i], 64); err != nil || !finite(*to) {
				return t, fmt.Errorf("%s %q: want a number", translationColumns[i], fields[i])
			}
		}
	}
	return t, nil
}

// numbers returns the share of exact matches.
func (list Translations) numbers() (m Metrics) {
	right := 0
	for _, t := range list {
		if t.Greedy == t.Reference {
			right++
		}
	}
	m.TestExact = Number(100 * float64(right) / float64(len(list)))
	return m
}
