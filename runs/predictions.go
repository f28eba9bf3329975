package runs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Predictions are a model's predictions for every review of a split.
type Predictions struct {
	Classes []string
	Rows    []Prediction
}

// Prediction is a model's prediction for one review.
type Prediction struct {
	Review    string // its id, such as test/pos/0_10
	Label     int    // class, -1 if unknown
	Predicted int    // class
	Words     int
	Entropy   float32   // of the attention, in nats; NaN without attention
	P         []float32 // probability of each class
}

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

// GuessedText says how well a language model guesses the words of a text that it was not trained on.
type GuessedText struct {
	Text  string  // name, such as train/unsup/0_0
	Words int     // that were guessed
	Right int     // of them
	Loss  float32 // the mean over them, in nats
}

// Guessed are the texts of a split.
type Guessed []GuessedText

// The columns of the files. In predictions.tsv a column p:CLASS for each class follows.
var (
	predictionColumns  = []string{"review", "label", "predicted", "words", "entropy"}
	translationColumns = []string{"pair", "source", "reference", "greedy", "greedy_score", "beam", "beam_score"}
	guessedColumns     = []string{"text", "words", "right", "loss"}
)

const classPrefix = "p:"

// Escapes of characters that would end a field or line.
var (
	escape   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// Unescape undoes the escapes of a field of predictions.tsv.
func Unescape(field string) string { return unescape.Replace(field) }

// appendRow appends a line of tab-separated values. Numbers have the fewest digits that identify them.
func appendRow(dst []byte, values ...any) []byte {
	for i, v := range values {
		if i > 0 {
			dst = append(dst, '\t')
		}
		switch v := v.(type) {
		case string:
			dst = append(dst, escape.Replace(v)...)
		case int:
			dst = strconv.AppendInt(dst, int64(v), 10)
		case float32:
			dst = strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
		case float64:
			dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		}
	}
	return append(dst, '\n')
}

// writeRows writes a header and a line for each row.
func writeRows[T any](w io.Writer, header []byte, rows []T, line func(dst []byte, row *T) []byte) error {
	out := bufio.NewWriter(w)
	out.Write(header)
	for i := range rows {
		header = line(header[:0], &rows[i])
		out.Write(header)
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

// parseRows parses tab-separated values with a header: the columns, and more that the function
// more takes; nil if there are none. Errors name file and line.
func parseRows(file string, b []byte, columns []string, more, row func(fields []string) error) error {
	if len(b) == 0 {
		return fmt.Errorf("%s is empty", file)
	}
	width, n, number := 0, len(columns), 0
	for line := range strings.Lines(string(b)) {
		number++
		line, whole := strings.CutSuffix(line, "\n")
		fields := strings.Split(line, "\t")
		var err error
		switch {
		case !whole:
			err = errors.New("the line is cut off")
		case width > 0 && len(fields) != width:
			err = fmt.Errorf("%d columns, the header has %d", len(fields), width)
		case width > 0:
			err = row(fields)
		case len(fields) < n || !slices.Equal(fields[:n], columns) || more == nil && len(fields) > n:
			err = fmt.Errorf("the header must be %s", strings.Join(columns, ", "))
		default:
			if width = len(fields); more != nil {
				err = more(fields[n:])
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return nil
}

// scan sets the values that to points at to the fields.
func scan(columns, fields []string, to ...any) (err error) {
	for i, to := range to {
		switch to := to.(type) {
		case *string:
			*to = Unescape(fields[i])
		case *int:
			if *to, err = strconv.Atoi(fields[i]); *to < 0 {
				err = strconv.ErrRange
			}
		case *float32:
			var v float64
			v, err = strconv.ParseFloat(fields[i], 32)
			*to = float32(v)
		case *float64:
			if *to, err = strconv.ParseFloat(fields[i], 64); err == nil && !finite(*to) {
				err = strconv.ErrRange
			}
		}
		if err != nil {
			return fmt.Errorf("%s %q: want a number", columns[i], fields[i])
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Write writes classes by name, and an unknown label and a missing entropy as empty fields.
func (p *Predictions) Write(w io.Writer) error {
	return writeRows(w, AppendPredictionHeader(nil, p.Classes), p.Rows, func(dst []byte, r *Prediction) []byte {
		return AppendPrediction(dst, p.Classes, r)
	})
}

// AppendPredictionHeader appends the header line of Predictions.Write.
func AppendPredictionHeader(dst []byte, classes []string) []byte {
	dst = append(dst, strings.Join(predictionColumns, "\t")...)
	for _, c := range classes {
		dst = append(dst, "\t"+classPrefix+escape.Replace(c)...)
	}
	return append(dst, '\n')
}

// AppendPrediction appends the line of one review, whose classes must be valid indices.
func AppendPrediction(dst []byte, classes []string, r *Prediction) []byte {
	var label, entropy any = "", ""
	if r.Label >= 0 {
		label = classes[r.Label]
	}
	if r.Entropy == r.Entropy {
		entropy = r.Entropy
	}
	values := []any{r.Review, label, classes[r.Predicted], r.Words, entropy}
	for _, p := range r.P {
		values = append(values, p)
	}
	return appendRow(dst, values...)
}

// Write implements Answers.
func (list Translations) Write(w io.Writer) error {
	for _, t := range list {
		if !finite(t.GreedyScore) || !finite(t.BeamScore) {
			return fmt.Errorf("translations: pair %s: scores %v and %v are not log-probabilities", t.Pair, t.GreedyScore, t.BeamScore)
		}
	}
	header := strings.Join(translationColumns, "\t") + "\n"
	return writeRows(w, []byte(header), list, func(dst []byte, t *Translation) []byte {
		return appendRow(dst, t.Pair, t.Source, t.Reference, t.Greedy, t.GreedyScore, t.Beam, t.BeamScore)
	})
}

// Write implements Answers.
func (list Guessed) Write(w io.Writer) error {
	header := strings.Join(guessedColumns, "\t") + "\n"
	return writeRows(w, []byte(header), list, func(dst []byte, t *GuessedText) []byte {
		return appendRow(dst, t.Text, t.Words, t.Right, t.Loss)
	})
}

// ParsePredictions parses the output of Write. Errors name file.
func ParsePredictions(file string, b []byte) (*Predictions, error) {
	p := new(Predictions)
	return p, parseRows(file, b, predictionColumns, p.parseClasses, p.parseRow)
}

func (p *Predictions) parseClasses(names []string) error {
	for _, f := range names {
		c, ok := strings.CutPrefix(f, classPrefix)
		if !ok {
			return fmt.Errorf("column %q does not name a class as %sCLASS", f, classPrefix)
		}
		p.Classes = append(p.Classes, Unescape(c))
	}
	return checkClasses(p.Classes)
}

// checkClasses checks that the names of classes are distinct.
func checkClasses(classes []string) error {
	for i, c := range classes {
		if c == "" || slices.Contains(classes[:i], c) {
			return fmt.Errorf("class %q is empty or a duplicate", c)
		}
	}
	return nil
}

func (p *Predictions) parseRow(fields []string) error {
	r := Prediction{Entropy: float32(math.NaN()), P: make([]float32, len(p.Classes))}
	var label, predicted, entropy string
	err := scan(predictionColumns, fields, &r.Review, &label, &predicted, &r.Words, &entropy)
	if err == nil && entropy != "" {
		err = scan([]string{"entropy"}, []string{entropy}, &r.Entropy)
	}
	for i, f := range fields[len(predictionColumns):] {
		if err == nil {
			err = scan([]string{"probability of " + p.Classes[i] + ":"}, []string{f}, &r.P[i])
		}
	}
	r.Label, r.Predicted = slices.Index(p.Classes, label), slices.Index(p.Classes, predicted)
	switch {
	case err != nil:
		return err
	case r.Label < 0 && label != "":
		return fmt.Errorf("class %q is not in the header", label)
	case r.Predicted < 0:
		return fmt.Errorf("class %q is not in the header", predicted)
	}
	p.Rows = append(p.Rows, r)
	return nil
}

// ParseTranslations parses the output of Write. Errors name file.
func ParseTranslations(file string, b []byte) (list Translations, err error) {
	err = parseRows(file, b, translationColumns, nil, func(fields []string) error {
		var t Translation
		err := scan(translationColumns, fields, &t.Pair, &t.Source, &t.Reference, &t.Greedy, &t.GreedyScore, &t.Beam, &t.BeamScore)
		list = append(list, t)
		return err
	})
	return list, err
}

// ParseGuessed parses the output of Write. Errors name file.
func ParseGuessed(file string, b []byte) (list Guessed, err error) {
	err = parseRows(file, b, guessedColumns, nil, func(fields []string) error {
		var t GuessedText
		err := scan(guessedColumns, fields, &t.Text, &t.Words, &t.Right, &t.Loss)
		if err != nil || t.Right > t.Words || !finite(float64(t.Loss)) {
			return fmt.Errorf("%q: there must be the number of words, of right guesses, and a loss", fields[1:])
		}
		list = append(list, t)
		return nil
	})
	return list, err
}

func (p *Predictions) count() int    { return len(p.Rows) }
func (list Translations) count() int { return len(list) }
func (list Guessed) count() int      { return len(list) }

// numbers returns the metrics of the test set that follow from predictions with labels.
func (p *Predictions) numbers() (m Metrics) {
	hit, named := make([]int, len(p.Classes)), make([]int, len(p.Classes))
	var loss, entropy float64
	right := 0
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Label < 0 {
			return Metrics{}
		}
		named[r.Label]++
		named[r.Predicted]++
		if r.Label == r.Predicted {
			right++
			hit[r.Label]++
		}
		probability := float64(r.P[r.Label])
		if probability < 1e-30 { // a float32 so small has too few digits
			probability = 0
		}
		loss -= math.Log(probability)
		entropy += float64(r.Entropy)
	}
	n := float64(len(p.Rows))
	m.TestAcc, m.TestMacroF1 = Number(100*float64(right)/n), Number(MacroF1(hit, named))
	if !math.IsInf(loss, 0) {
		m.TestLoss = Number(loss / n)
	}
	if !math.IsNaN(entropy) { // there is attention
		m.TestEntropy = Number(entropy / n)
	}
	return m
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

// numbers returns the share of words that were guessed.
func (list Guessed) numbers() (m Metrics) {
	words, right := 0, 0
	for _, t := range list {
		words, right = words+t.Words, right+t.Right
	}
	m.TestAcc = Number(100 * float64(right) / float64(words))
	return m
}
