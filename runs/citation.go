package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// Citation names a finished run and its numbers in a line, for papers and
// messages:
//
//	imdbexp:tme9-lstm/4f2a91@9c31e07b
//
// ID says what was run on which data, Metrics what came of it: two citations that
// are equal stand for the same numbers. Where test is looked at last, metrics.jsonl
// does not have what came of that, and the file that has it is part of the sum.
type Citation struct {
	Name    string // experiment
	ID      string // the first 6 digits of the run's ID (see Identify), or more
	Metrics string // the first 8 hexadecimal digits of the SHA-256 of metrics.jsonl and, with test=last, test.json behind it
}

const (
	citationScheme = "imdbexp:"
	citedID        = 6
	citedMetrics   = 8
)

var citationPattern = regexp.MustCompile(`^imdbexp:([A-Za-z0-9][A-Za-z0-9._+-]{0,99})/([0-9a-f]{6,12})@([0-9a-f]{8})$`)

func (c Citation) String() string { return citationScheme + c.Name + "/" + c.ID + "@" + c.Metrics }

// IsCitation tells a citation, or what is meant as one, from other names of runs.
func IsCitation(ref string) bool { return strings.HasPrefix(ref, citationScheme) }

// ParseCitation reads what String wrote.
func ParseCitation(text string) (Citation, error) {
	m := citationPattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Citation{}, fmt.Errorf("%q: want a citation such as imdbexp:tme9-lstm/4f2a91@9c31e07b", text)
	}
	return Citation{m[1], m[2], m[3]}, nil
}

// Citation returns how to cite the run. One that has not finished has none: its
// numbers are not those that count.
func (r *Run) Citation() (Citation, error) {
	if r.Status.State != Finished {
		return Citation{}, fmt.Errorf("%s cannot be cited: it is %s", r.Label(), r.Status)
	}
	if _, err := r.Metrics(); err != nil { // what is cited can be read
		return Citation{}, err
	}
	text, err := r.MetricsText()
	if err != nil {
		return Citation{}, err
	}
	tested, err := r.TestedText()
	if err != nil {
		return Citation{}, err
	}
	return r.Config.Cite(text, tested), nil
}

// Cite returns the citation of a finished run of the configuration whose metrics.jsonl and,
// with test=last, test.json have these texts.
func (c *Config) Cite(metrics, tested []byte) Citation {
	sum := sha256.Sum256(append(metrics[:len(metrics):len(metrics)], tested...))
	return Citation{c.Name, c.ShortID(), hex.EncodeToString(sum[:])[:citedMetrics]}
}

// MetricsText returns metrics.jsonl as far as it counts: a line for each whole
// epoch.
func (r *Run) MetricsText() ([]byte, error) { return r.committedText(MetricsFile, r.progress.metrics) }

// EntropyText returns entropy.jsonl as far as it counts.
func (r *Run) EntropyText() ([]byte, error) { return r.committedText(EntropyFile, r.progress.entropy) }

// committedText reads what the checkpoint covers of a file of lines; where the
// checkpoint is damaged all.
func (r *Run) committedText(name string, length int64) ([]byte, error) {
	if r.Status.State == Created {
		return nil, nil
	}
	return r.head(name, length)
}

// CitedError is a run with the ID of a citation and other numbers.
type CitedError struct {
	Want, Got Citation
	Path      string
}

func (e *CitedError) Error() string {
	return fmt.Sprintf("%s has other metrics (%s) than the cited ones (%s): exp reproduce %s tells whether they come out again", e.Path, e.Got.Metrics, e.Want.Metrics, e.Got.ID)
}

// FindCited returns the run under dir that a citation names. When there is none of
// its ID the error wraps fs.ErrNotExist; when that has other numbers it is a
// CitedError.
func FindCited(dir, ref string) (*Run, error) {
	want, err := ParseCitation(ref)
	if err != nil {
		return nil, err
	}
	all, _ := List(dir) // what cannot be read is not it
	err = fmt.Errorf("no run in %s is %s: %w", dir, want, fs.ErrNotExist)
	for _, r := range all {
		if r.Config.Name != want.Name || !strings.HasPrefix(r.Config.ID, want.ID) {
			continue
		}
		got, citeErr := r.Citation()
		switch {
		case citeErr != nil:
			err = citeErr
		case want.Metrics == got.Metrics:
			return r, nil
		default:
			err = &CitedError{want, got, r.Path}
		}
	}
	return nil, err
}
