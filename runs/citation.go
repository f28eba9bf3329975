package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// Citation names a finished run and its results in one line, for papers and messages:
//
//	imdbexp:tme9-lstm/4f2a91@9c31e07b
//
// ID identifies the settings and data, Metrics the results: equal citations stand for the
// same numbers.
type Citation struct {
	Name    string // experiment
	ID      string // the first 6 digits of the run's ID (see Identify), or more
	Metrics string // the first 8 hexadecimal digits of the SHA-256 of metrics.jsonl followed by test.json, if there is one
}

const (
	citationScheme = "imdbexp:"
	citedID        = 6
	citedMetrics   = 8
)

var citationPattern = regexp.MustCompile(`^imdbexp:([A-Za-z0-9][A-Za-z0-9._+-]{0,99})/([0-9a-f]{6,12})@([0-9a-f]{8})$`)

func (c Citation) String() string { return citationScheme + c.Name + "/" + c.ID + "@" + c.Metrics }

// IsCitation reports whether ref is meant as a citation.
func IsCitation(ref string) bool { return strings.HasPrefix(ref, citationScheme) }

// ParseCitation parses the result of String.
func ParseCitation(text string) (Citation, error) {
	m := citationPattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Citation{}, fmt.Errorf("%q is not a citation; it must look like imdbexp:tme9-lstm/4f2a91@9c31e07b", text)
	}
	return Citation{m[1], m[2], m[3]}, nil
}

// Citation returns the citation of a finished run.
func (r *Run) Citation() (Citation, error) {
	if r.Status.State != Finished {
		return Citation{}, fmt.Errorf("%s cannot be cited: it is %s", r.Label(), r.Status)
	}
	if _, err := r.Ends(); err != nil {
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

// Cite returns the citation of a finished run of c with these contents of metrics.jsonl and
// test.json (empty if there is none).
func (c *Config) Cite(metrics, tested []byte) Citation {
	sum := sha256.Sum256(append(metrics[:len(metrics):len(metrics)], tested...))
	return Citation{c.Name, c.ShortID(), hex.EncodeToString(sum[:])[:citedMetrics]}
}

// MetricsText returns the lines of metrics.jsonl for the whole epochs.
func (r *Run) MetricsText() ([]byte, error) { return r.head(MetricsFile, r.progress.metrics) }

// EntropyText returns the lines of entropy.jsonl for the whole epochs.
func (r *Run) EntropyText() ([]byte, error) { return r.head(EntropyFile, r.progress.entropy) }

// CitedError is a run with the ID of a citation but other results.
type CitedError struct {
	Want, Got Citation
	Path      string
}

func (e *CitedError) Error() string {
	return fmt.Sprintf("%s has other metrics (%s) than the citation (%s); exp reproduce %s checks whether they can be reproduced", e.Path, e.Got.Metrics, e.Want.Metrics, e.Got.ID)
}

// FindCited returns the run in dir that a citation names. The error wraps fs.ErrNotExist if
// there is no run with its ID, and is a CitedError if that has other results.
func FindCited(dir, ref string) (*Run, error) {
	want, err := ParseCitation(ref)
	if err != nil {
		return nil, err
	}
	all, _ := List(dir) // a run that cannot be read has no citation
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
