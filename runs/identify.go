package runs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/settings"
)

// idDigits is the length of an ID: 48 bits, so that the chance of two equal IDs among a
// million runs is 1 in 500.
const idDigits = 12

// lengths are the settings in which a run and one that extends it may differ.
var lengths = []string{"epochs", "test.tail"}

// Identify returns the digest of everything that changes a run's result: the model, the
// result version, the settings that differ from their defaults, and the content digests. A
// content digest replaces the setting of the same key (data, vectors), so that files may be
// moved or renamed. The experiment's name is a label and not included. lineage is the digest
// without the settings epochs and test.tail.
func Identify(model string, result int, set *settings.Set, digests map[string]string) (digest, lineage string) {
	facts, names := factsOf(model, result, digests)
	return set.Digest(facts, names...), set.Digest(facts, append(names, lengths...)...)
}

// factsOf returns the parts of a digest that are not settings, and the settings that a
// content digest replaces.
func factsOf(model string, result int, digests map[string]string) (facts, names []string) {
	facts = []string{"model " + model, "result " + strconv.Itoa(result)}
	names = slices.Sorted(maps.Keys(digests))
	for _, k := range names {
		facts = append(facts, "digest "+k+" "+digests[k])
	}
	return facts, names
}

// Identity checks that the configuration is consistent: digest and lineage must follow from
// the model, the result version, the settings and the content digests, and fields that state
// the same fact must agree. See docs/reliability.md for what that proves.
func (c *Config) Identity() error {
	facts, names := factsOf(c.Model, c.Result, c.Digests)
	given := func(key string) bool { return c.From[key] != "" }
	digest, unknown := settings.DigestOf(c.Digest, c.Model, c.Settings.all, given, facts, names...)
	lineage, _ := settings.DigestOf(c.Lineage, c.Model, c.Settings.all, given, facts, append(names, lengths...)...)
	bad := func(format string, args ...any) error {
		return fmt.Errorf("the run's configuration was changed or damaged: "+format+"; restore the file, or train the run again with --force", args...)
	}
	switch {
	case digest != c.Digest && len(unknown) > 0:
		return bad("its settings give the ID %s, not %q (this version of exp does not know %q; another one may)", digest[:idDigits], c.ID, unknown)
	case digest != c.Digest:
		return bad("its model, settings, content digests and result version give the ID %s, not %q", digest[:idDigits], c.ID)
	case lineage != c.Lineage:
		return bad("its settings give the lineage %.12s, not %.12q", lineage, c.Lineage)
	}
	for _, f := range [][3]string{{"variant", "variant", c.Variant}, {"data", "data.name", c.Data.Name}} {
		// Older runs may lack one.
		if s := c.Setting(f[0]); s != "" && s != "auto" && f[2] != "" && s != f[2] {
			return bad("%s is %q, but the setting %s is %q", f[1], f[2], f[0], s)
		}
	}
	for key, from := range c.From {
		by, value, _ := strings.Cut(from, "=")
		if s := c.Setting(by); (by == "variant" || by == "optimizer") && s != "" && s != value {
			return bad("%q comes from %q, but %s is %q", key, from, by, s)
		}
	}
	d, perClass := &c.Data, c.General().Limit
	train, limit := d.Train.Reviews+d.Valid.Reviews, perClass*max(1, len(c.Classes))
	switch {
	case min(d.Train.Reviews, d.Valid.Reviews, d.Test.Reviews, d.Train.Words, d.Valid.Words, d.Test.Words) < 0:
		return bad("a size of its data is negative")
	case limit > 0 && max(train, d.Test.Reviews) > limit:
		return bad("it has %d + %d %s, but data.limit=%d allows at most %d in each split", train, d.Test.Reviews, d.Unit(), perClass, limit)
	}
	return nil
}

// ShortID returns the first 6 digits of the ID, as in citations.
func (c *Config) ShortID() string { return c.ID[:min(citedID, len(c.ID))] }

// Given returns the settings that the user set on the command line or in a YAML file.
func (c *Config) Given() []Value {
	return slices.DeleteFunc(slices.Clone([]Value(c.Settings)), func(s Value) bool {
		from := c.From[s.Key]
		ext := path.Ext(from)
		return from != "command line" && ext != ".yaml" && ext != ".yml"
	})
}

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
	_, err1 := r.Ends()
	text, err2 := r.MetricsText()
	tested, err3 := r.TestedText()
	if err := cmp.Or(err1, err2, err3); err != nil {
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

// FindCited returns the run in dir that a citation names. The error wraps fs.ErrNotExist if
// there is no run with its ID; that may also have other results.
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
			err = fmt.Errorf("%s has other metrics (%s) than the citation (%s); exp reproduce %s checks whether they can be reproduced", r.Path, got.Metrics, want.Metrics, got.ID)
		}
	}
	return nil, err
}
