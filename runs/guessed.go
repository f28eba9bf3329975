package runs

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TextsFile says how well a language model guesses the words of texts that it was not trained on.
const TextsFile = "texts.tsv"

// GuessedText is one text.
type GuessedText struct {
	Text  string  // name, such as train/unsup/0_0
	Words int     // that were guessed
	Right int     // of them
	Loss  float32 // the mean over them, in nats
}

// Guessed are the texts of a split.
type Guessed []GuessedText

var guessedColumns = []string{"text", "words", "right", "loss"}

// Write implements Answers.
func (list Guessed) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := append([]byte(strings.Join(guessedColumns, "\t")), '\n')
	out.Write(line)
	for _, t := range list {
		line = append(append(line[:0], escape.Replace(t.Text)...), '\t')
		line = append(strconv.AppendInt(line, int64(t.Words), 10), '\t')
		line = append(strconv.AppendInt(line, int64(t.Right), 10), '\t')
		out.Write(append(appendFloat(line, t.Loss), '\n'))
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

func (list Guessed) count() int { return len(list) }

// ParseGuessed parses the output of Write. Errors name file.
func ParseGuessed(file string, b []byte) (list Guessed, err error) {
	err = parseTable(file, b, guessedColumns, nil, func(fields []string) error {
		words, err1 := strconv.Atoi(fields[1])
		right, err2 := strconv.Atoi(fields[2])
		loss, err3 := strconv.ParseFloat(fields[3], 32)
		if err1 != nil || err2 != nil || err3 != nil || right < 0 || right > words || !finite(loss) {
			return fmt.Errorf("%q: there must be the number of words, of right guesses, and a loss", fields[1:])
		}
		list = append(list, GuessedText{unescape.Replace(fields[0]), words, right, float32(loss)})
		return nil
	})
	return list, err
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
