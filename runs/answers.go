package runs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// Answers are a model's outputs for each review, pair or text of a split: *Predictions,
// Translations or Guessed.
type Answers interface {
	// Write writes tab-separated values with a header.
	Write(w io.Writer) error
	count() int       // of reviews or pairs
	numbers() Metrics // of the test set that follow from them
}

// AnswersText returns the file of the chosen epoch's answers on the test set. The error wraps
// fs.ErrNotExist if the run has not finished.
func (r *Run) AnswersText() ([]byte, error) {
	return r.readText(r.Config.Task().Answers)
}

// Answers parses AnswersText.
func (r *Run) Answers() (Answers, error) { return r.Config.Task().read(r) }

// Predictions returns the Answers of a run on reviews.
func (r *Run) Predictions() (*Predictions, error) {
	return readAnswers(r, PredictionsFile, ParsePredictions)
}

// Translations returns the Answers of a run on pairs.
func (r *Run) Translations() (Translations, error) {
	return readAnswers(r, TranslationsFile, ParseTranslations)
}

func readAnswers[T any](r *Run, file string, parse func(file string, b []byte) (T, error)) (none T, err error) {
	b, err := r.readText(file)
	if errors.Is(err, fs.ErrNotExist) && r.Config.Untested() {
		return none, &UntestedError{}
	}
	var out T
	if err == nil {
		out, err = parse(r.file(file), b)
	}
	if err != nil && r.Status.State == Finished {
		err = &AnswersError{r, err}
	}
	return out, err
}

// AnswersError is an error reading the answers of a finished run. They can be computed again
// from its weights.
type AnswersError struct {
	Run *Run
	Err error
}

func (e *AnswersError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *AnswersError) Unwrap() error { return e.Err }

// File returns the path of the file that cannot be read.
func (e *AnswersError) File() string { return e.Run.file(e.Run.Config.Task().Answers) }

// UntestedError means that a run has no answers because it is never evaluated on the test
// set, as in a search. It wraps fs.ErrNotExist.
type UntestedError struct{}

func (*UntestedError) Error() string { return "it was never evaluated on the test set (test=never)" }

// Unwrap returns fs.ErrNotExist.
func (*UntestedError) Unwrap() error { return fs.ErrNotExist }

// Untested reports whether the run is never evaluated on the test set.
func (c *Config) Untested() bool { return c.General().Test == "never" }

// Check reads all files of a run that other commands use and returns what is wrong with
// each. Use Words for its files in the store.
func (r *Run) Check() (wrong []error) {
	add := func(err error) (ok bool) {
		if err != nil {
			wrong = append(wrong, err)
		}
		return err == nil
	}
	if r.Status.State == Created {
		return nil
	}
	add(r.Verify())
	if r.checkpoint.BestEpoch > 0 && r.Config.General().Select == Best {
		_, err := r.Checkpoint(Best)
		add(err)
	}
	if add(r.CheckLines()) && r.Status.State != Damaged {
		_, err := r.Ends() // checks test.json too
		add(err)
	}
	if r.Status.State == Finished && !r.Config.Untested() {
		a, err := r.Answers()
		if n := r.Config.General().Evaluated(r.Config.Data.Test.Reviews); err == nil && a.count() != n {
			err = fmt.Errorf("%s: %d rows for %d %s", r.file(r.Config.Task().Answers), a.count(), n, r.Config.Task().Unit)
			err = &AnswersError{r, err}
		}
		add(err)
	}
	if _, err := r.Environments(); !errors.Is(err, fs.ErrNotExist) { // it may be missing
		add(err)
	}
	return wrong
}

// InLast reports whether an error of Check is about the last checkpoint.
func (r *Run) InLast(err error) bool {
	d, ok := errors.AsType[*DamagedError](err)
	return ok && d.Path == r.file(CheckpointFile(Last))
}

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

// ProbeAnswers names what a run answers to the pairs of a probe (package dataset/probe), which
// exp probe keeps beside the run. They are no result of the training: neither the ID nor the digests
// of the run include them.
type ProbeAnswers struct {
	Probe  string // its name
	Digest string // the beginning of that of its content
}

// A file of answers is called probe-NAME.DIGEST.tsv and has the form of predictions.tsv.
const probePrefix, probeSuffix, probeDigits = "probe-", ".tsv", 12

func (a ProbeAnswers) file() string {
	return probePrefix + a.Probe + "." + a.Digest[:min(probeDigits, len(a.Digest))] + probeSuffix
}

// WriteProbe keeps the answers of the run to the texts of a probe.
func (r *Run) WriteProbe(a ProbeAnswers, p *Predictions) error {
	return r.folder().WriteFile(a.file(), func(w io.Writer) error { return p.Write(w) })
}

// Probe returns the kept answers to a probe; ok is false if there are none.
func (r *Run) Probe(a ProbeAnswers) (p *Predictions, ok bool, err error) {
	b, err := r.readText(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil {
		p, err = ParsePredictions(r.file(a.file()), b)
	}
	return p, err == nil, err
}

// Probes lists the probes whose answers are kept.
func (r *Run) Probes() (list []ProbeAnswers, err error) {
	entries, err := r.folder().Entries()
	for _, e := range entries {
		rest, is := strings.CutPrefix(e.Name(), probePrefix)
		rest, whole := strings.CutSuffix(rest, probeSuffix)
		if name, digest, ok := strings.Cut(rest, "."); is && whole && ok {
			list = append(list, ProbeAnswers{name, digest})
		}
	}
	return list, err
}
