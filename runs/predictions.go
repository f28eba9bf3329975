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
	Words int     // guessed words
	Right int     // correct guesses
	Loss  float32 // mean over the words, in nats
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

// record is a line of a table: pointers to its values, in the order of the columns.
type record[T any] interface {
	*T
	fields() []any
}

func (t *Translation) fields() []any {
	return []any{&t.Pair, &t.Source, &t.Reference, &t.Greedy, &t.GreedyScore, &t.Beam, &t.BeamScore}
}

func (t *GuessedText) fields() []any { return []any{&t.Text, &t.Words, &t.Right, &t.Loss} }

// appendRow appends a line of tab-separated values. Numbers have the fewest digits that identify them; NaN is
// an empty field.
func appendRow(dst []byte, fields ...any) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, '\t')
		}
		switch f := f.(type) {
		case *string:
			dst = append(dst, escape.Replace(*f)...)
		case *int:
			dst = strconv.AppendInt(dst, int64(*f), 10)
		case *float32:
			if *f == *f {
				dst = strconv.AppendFloat(dst, float64(*f), 'g', -1, 32)
			}
		case *float64:
			dst = strconv.AppendFloat(dst, *f, 'g', -1, 64)
		}
	}
	return append(dst, '\n')
}

// scan parses the texts of a line into fields.
func scan(columns, texts []string, fields ...any) (err error) {
	for i, f := range fields {
		text := texts[i]
		switch f := f.(type) {
		case *string:
			*f = Unescape(text)
		case *int:
			if *f, err = strconv.Atoi(text); *f < 0 {
				err = strconv.ErrRange
			}
		case *float32:
			v := math.NaN()
			if text != "" || columns[i] != "entropy" {
				v, err = strconv.ParseFloat(text, 32)
			}
			*f = float32(v)
		case *float64:
			if *f, err = strconv.ParseFloat(text, 64); err == nil && !finite(*f) {
				err = strconv.ErrRange
			}
		}
		if err != nil {
			return fmt.Errorf("%s %q: want a number", columns[i], text)
		}
	}
	return nil
}

func writeTable[T any, R record[T]](w io.Writer, columns []string, rows []T) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(columns, "\t"))
	for i := range rows {
		out.Write(appendRow(nil, R(&rows[i]).fields()...))
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

// parseTable parses the output of writeTable.
func parseTable[T any, R record[T]](file string, b []byte, columns []string) (rows []T, err error) {
	err = parseRows(file, b, columns, nil, func(texts []string) error {
		rows = append(rows, *new(T))
		return scan(columns, texts, R(&rows[len(rows)-1]).fields()...)
	})
	return rows, err
}

// parseRows parses tab-separated values with a header: columns, then any names that more accepts,
// none if more is nil. Errors name file and line.
func parseRows(file string, b []byte, columns []string, more, row func(texts []string) error) error {
	if len(b) == 0 {
		return fmt.Errorf("%s is empty", file)
	}
	width, n, number := 0, len(columns), 0
	for line := range strings.Lines(string(b)) {
		number++
		line, whole := strings.CutSuffix(line, "\n")
		texts := strings.Split(line, "\t")
		var err error
		switch {
		case !whole:
			err = errors.New("the line is cut off")
		case width > 0 && len(texts) != width:
			err = fmt.Errorf("%d columns, the header has %d", len(texts), width)
		case width > 0:
			err = row(texts)
		case len(texts) < n || !slices.Equal(texts[:n], columns) || more == nil && len(texts) > n:
			err = fmt.Errorf("the header must be %s", strings.Join(columns, ", "))
		default:
			if width = len(texts); more != nil {
				err = more(texts[n:])
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Write implements Answers. An unknown label and a missing entropy are empty fields.
func (p *Predictions) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.Write(AppendPredictionHeader(nil, p.Classes))
	var line []byte
	for i := range p.Rows {
		line = AppendPrediction(line[:0], p.Classes, &p.Rows[i])
		out.Write(line)
	}
	return out.Flush()
}

// AppendPredictionHeader appends the header line of Predictions.Write.
func AppendPredictionHeader(dst []byte, classes []string) []byte {
	dst = append(dst, strings.Join(predictionColumns, "\t")...)
	for _, c := range classes {
		dst = append(dst, "\t"+classPrefix+escape.Replace(c)...)
	}
	return append(dst, '\n')
}

// named returns the fields of a prediction, with the label and the predicted class by name.
func (r *Prediction) named(label, predicted *string) []any {
	fields := []any{&r.Review, label, predicted, &r.Words, &r.Entropy}
	for i := range r.P {
		fields = append(fields, &r.P[i])
	}
	return fields
}

// AppendPrediction appends the line of one review, whose classes must be valid indices.
func AppendPrediction(dst []byte, classes []string, r *Prediction) []byte {
	label, predicted := "", classes[r.Predicted]
	if r.Label >= 0 {
		label = classes[r.Label]
	}
	return appendRow(dst, r.named(&label, &predicted)...)
}

// Write implements Answers.
func (list Translations) Write(w io.Writer) error { return writeTable(w, translationColumns, list) }

// Write implements Answers.
func (list Guessed) Write(w io.Writer) error { return writeTable(w, guessedColumns, list) }

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

func (p *Predictions) parseRow(texts []string) error {
	r, columns := Prediction{P: make([]float32, len(p.Classes))}, slices.Clone(predictionColumns)
	for _, c := range p.Classes {
		columns = append(columns, "probability of "+c+":")
	}
	var label, predicted string
	err := scan(columns, texts, r.named(&label, &predicted)...)
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
func ParseTranslations(file string, b []byte) (Translations, error) {
	return parseTable[Translation](file, b, translationColumns)
}

// ParseGuessed parses the output of Write. Errors name file.
func ParseGuessed(file string, b []byte) (Guessed, error) {
	return parseTable[GuessedText](file, b, guessedColumns)
}

func (p *Predictions) count() int    { return len(p.Rows) }
func (list Translations) count() int { return len(list) }
func (list Guessed) count() int      { return len(list) }

// right counts the correct predictions; of is 0 if a label is unknown.
func (p *Predictions) right() (n, of int) {
	for _, r := range p.Rows {
		if r.Label < 0 {
			return 0, 0
		}
		if r.Label == r.Predicted {
			n++
		}
	}
	return n, len(p.Rows)
}

// right counts the exact matches.
func (list Translations) right() (n, of int) {
	for _, t := range list {
		if t.Greedy == t.Reference {
			n++
		}
	}
	return n, len(list)
}

// right counts the correct guesses.
func (list Guessed) right() (n, of int) {
	for _, t := range list {
		n, of = n+t.Right, of+t.Words
	}
	return n, of
}
