package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Remarks are what a user says about a run. They are in a file of their own in the run's
// folder: no ID, digest or comparison of runs depends on them.
type Remarks struct {
	Note string   `json:"note"`
	Tags []string `json:"tags"` // sorted
}

// Limits of remarks.
const (
	maxNote    = 1000 // characters
	maxTag     = 50
	maxTags    = 100
	maxRemarks = 64 << 10 // bytes of the file
)

var tagPattern = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN._+:/-]*$`)

// Check returns an error for remarks that do not fit in a line of a table.
func (m *Remarks) Check() error {
	if n := utf8.RuneCountInString(m.Note); n > maxNote {
		return fmt.Errorf("the note has %d characters; use at most %d", n, maxNote)
	}
	if !utf8.ValidString(m.Note) || strings.ContainsFunc(m.Note, unicode.IsControl) {
		return fmt.Errorf("the note %q is not a line of text: leave out line ends, tabs and other control characters", m.Note)
	}
	for _, tag := range m.Tags {
		if !tagPattern.MatchString(tag) || utf8.RuneCountInString(tag) > maxTag {
			return fmt.Errorf("tag %q: use a word of letters, digits and . _ + - : /, at most %d", tag, maxTag)
		}
	}
	if n := len(m.Tags); n > maxTags {
		return fmt.Errorf("%d tags; use at most %d for a run", n, maxTags)
	}
	return nil
}

// Add adds tags.
func (m *Remarks) Add(tags ...string) {
	m.Tags = append(m.Tags, tags...)
	slices.Sort(m.Tags)
	m.Tags = slices.Compact(m.Tags)
}

// Remarks reads the note and the tags of the run. Without the file there are none.
func (r *Run) Remarks() (m Remarks, err error) {
	m.Tags = []string{} // which is a list in JSON
	b, err := r.folder().ReadFile(remarksFile, maxRemarks)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.DisallowUnknownFields()
		if err = dec.Decode(&m); err == nil {
			err = m.Check()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w; correct or remove the file", r.file(remarksFile), err)
		}
	}
	if err != nil {
		return Remarks{Tags: []string{}}, err
	}
	return m, nil
}

// Remark changes the note and the tags of the run, which may be in training. Concurrent changes
// are made one after the other.
func (r *Run) Remark(change func(*Remarks)) (err error) {
	lock, err := r.folder().Acquire(remarksLock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Remove()) }()
	m, err := r.Remarks()
	if err != nil {
		return err
	}
	change(&m)
	if err := m.Check(); err != nil {
		return err
	}
	if m.Note == "" && len(m.Tags) == 0 {
		return r.folder().Remove(remarksFile)
	}
	return r.folder().WriteFile(remarksFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(m) })
}
