package runs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
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
func Identify(model string, result int, set []settings.Setting, digests map[string]string) (digest, lineage string) {
	facts := []string{"model " + model, "result " + strconv.Itoa(result)}
	names := slices.Sorted(maps.Keys(digests))
	for _, k := range names {
		facts = append(facts, "digest "+k+" "+digests[k])
	}
	return settings.Digest(set, facts, names...), settings.Digest(set, facts, append(names, lengths...)...)
}

// Identity checks that the configuration is consistent: digest and lineage must follow from
// the model, the result version, the settings and the content digests, and fields that state
// the same fact must agree. A run with settings that this program does not know, because they
// belong to another version, is not checked. See docs/reliability.md for what that proves.
func (c *Config) Identity() error {
	set := settings.Declared(c.Model)
	for _, v := range c.Settings {
		i := slices.IndexFunc(set, func(s settings.Setting) bool { return s.Key == v.Key })
		if i < 0 {
			return nil
		}
		set[i].Value = v.Value
	}
	digest, lineage := Identify(c.Model, c.Result, set, c.Digests)
	bad := func(format string, args ...any) error {
		return fmt.Errorf("the run's configuration was changed or damaged: "+format+"; restore the file, or train the run again with --force", args...)
	}
	switch {
	case digest != c.Digest:
		return bad("its model, settings, content digests and result version give the ID %s, not %q", digest[:idDigits], c.ID)
	case lineage != c.Lineage:
		return bad("its settings give the lineage %.12s, not %.12q", lineage, c.Lineage)
	}
	for key, field := range map[string]string{"variant": c.Variant, "data": c.Data.Name} {
		if s := c.Setting(key); s != "" && s != "auto" && field != "" && s != field { // older runs may lack one
			return bad("it is a run of %s=%q, but the setting is %q", key, field, s)
		}
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

var citationPattern = regexp.MustCompile(`^imdbexp:([A-Za-z0-9][A-Za-z0-9._+-]*)/([0-9a-f]{6,12})@([0-9a-f]{8})$`)

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

// startKey is the setting that cites the run from whose weights training begins.
const startKey = "init"

// CitingKeys are the settings that cite a run; attention.base is the run whose attention is compared.
var CitingKeys = []string{"attention.base", startKey}

// Normalized returns the configuration in the form in which runs are compared:
//
//   - A setting that the run lacks, because it is older than the setting, has its default.
//     That is how runs behaved before, or the result version would have been raised.
//   - A cited run is replaced by its name and settings, such as additive[epochs=4], so that runs
//     with cited runs of different seeds count as seeds of one setting: of attention.base if it has
//     the same seed, of init always, since many runs may start from one. A run that is not in the
//     folder remains a citation.
func (r *Run) Normalized() Config {
	c := r.Config
	c.Settings = nil
	own := make(map[string]string, len(r.Config.Settings))
	for _, s := range r.Config.Settings {
		own[s.Key] = s.Value
	}
	for _, s := range settings.Declared(c.Model) {
		if v, there := own[s.Key]; there {
			s.Value = v
		}
		c.Settings = append(c.Settings, Value{s.Key, s.Value})
		delete(own, s.Key)
	}
	for _, s := range r.Config.Settings { // unknown to this version of exp
		if _, left := own[s.Key]; left {
			c.Settings = append(c.Settings, s)
		}
	}
	for i := range c.Settings {
		if s := &c.Settings[i]; slices.Contains(CitingKeys, s.Key) {
			s.Value = r.cited(s.Value, s.Key == startKey)
		}
	}
	return c
}

// Without returns a text that is equal for Normalized configurations that differ in nothing
// but one setting and what follows from it.
func (c *Config) Without(key string) string {
	var b strings.Builder
	for _, s := range c.Settings {
		if s.Key != key && s.Key != "variant" {
			fmt.Fprintf(&b, "%q=%q\n", s.Key, s.Value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
		if k == "vectors" && key == "seed" && c.General().Vectors.Vectors == "random" {
			continue // random vectors follow from the seed
		}
		fmt.Fprintf(&b, "digest %q=%q\n", k, c.Digests[k])
	}
	fmt.Fprintf(&b, "model %q\nresult %d\n", c.Model, c.Result)
	return b.String()
}

// TestSeedKey is the setting that divides data into train and test again.
const TestSeedKey = "data.test_seed"

// Resplit reports whether a run's data were divided into train and test again.
func (c *Config) Resplit() bool { return c.General().TestSeed != 0 }

// WithoutSeeds is Without the seed and, among runs whose data were divided again, the division.
func (c *Config) WithoutSeeds() string {
	if !c.Resplit() {
		return c.Without("seed")
	}
	d := *c
	d.Settings = slices.Clone(c.Settings)
	for i, s := range d.Settings {
		if s.Key == TestSeedKey {
			d.Settings[i] = Value{"redrawn", "true"}
		}
	}
	if c.General().Vectors.Vectors == "corpus" { // trained on what is in train
		d.Digests = maps.Clone(c.Digests)
		delete(d.Digests, "vectors")
	}
	return d.Without("seed")
}

// cited returns the name and settings of the cited run, if it has the seed of r or any seed will do.
func (r *Run) cited(cites string, anySeed bool) string {
	base := r.citedRun(cites)
	if base == nil || !anySeed && base.Config.Seed() != r.Config.Seed() {
		return cites
	}
	var given []string
	for _, s := range base.Config.Given() {
		if s.Key != "seed" && s.Key != "data" && s.Key != "data.limit" { // these are settings of r too
			given = append(given, s.Key+"="+s.Value)
		}
	}
	if len(given) == 0 {
		return base.Config.Name
	}
	return base.Config.Name + "[" + strings.Join(given, ",") + "]"
}

// citedRun returns the run of a citation in the same folder of runs, or nil if it is not there.
func (r *Run) citedRun(cites string) *Run {
	cited, err := ParseCitation(cites)
	if err != nil {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), cited.Name, cited.ID+"*"))
	if err != nil || len(found) != 1 {
		return nil
	}
	base, err := Open(found[0])
	if err != nil {
		return nil
	}
	return base
}

// Start returns the run from whose weights r began, or nil if it is not in the same folder of runs;
// starts says whether there is one.
func (r *Run) Start() (from *Run, starts bool) {
	cites := r.Config.Setting(startKey)
	return r.citedRun(cites), cites != ""
}
