package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"imdbexp/internal/settings"
)

// NoRunError is a name that no run has.
type NoRunError struct{ error }

// idPrefix is the shortest beginning of an ID that names a run.
const idPrefix = 4

// Find returns the one run in dir that ref names (see Match). If several match, the error
// lists them.
func Find(dir, ref string) (*Run, error) {
	matches, err := Match(dir, ref)
	if err != nil {
		return nil, err
	}
	if n := len(matches); n > 1 {
		var labels []string
		for _, r := range matches[:min(n, 20)] {
			labels = append(labels, r.Label())
		}
		return nil, fmt.Errorf("%q names %d runs: give more of the ID of one: %s", ref, n, strings.Join(labels, ", "))
	}
	return matches[0], nil
}

// Match returns all runs in dir that ref names, oldest first:
//
//	a folder                 runs/tme9-lstm/4f2a91c03b7e, or below dir: tme9-lstm/4f2a91c03b7e
//	the beginning of an ID   4f2a (four digits or more)
//	a name                   tme9-lstm: all its runs
//	a name with settings     tme9-lstm[optimizer=sgd,seed=2]: the runs with these settings
//	the last run started     @last; after a search its best trial
//	a citation               imdbexp:tme9-lstm/4f2a91@9c31e07b
//
// No match is an error. report.Typical chooses one run of several seeds.
func Match(dir, ref string) ([]*Run, error) {
	if IsCitation(ref) {
		r, err := FindCited(dir, ref)
		return []*Run{r}, err
	}
	if IsFolder(ref) {
		r, err := Open(filepath.Clean(ref))
		if errors.Is(err, fs.ErrNotExist) && filepath.IsLocal(ref) {
			if below, e := Open(filepath.Join(dir, ref)); !errors.Is(e, fs.ErrNotExist) {
				r, err = below, e // a label, as messages print it
			}
		}
		return []*Run{r}, err
	}
	all, err := List(dir)
	switch {
	case len(all) == 0 && err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("there are no runs in %s", dir)
	case ref == "@last":
		return []*Run{last(all)}, nil
	}
	matches, matchErr := match(all, ref)
	if matchErr != nil || len(matches) > 0 {
		return matches, matchErr
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Config.Name)
	}
	name, _, _ := strings.Cut(ref, "[")
	return nil, errors.Join(&NoRunError{fmt.Errorf("no run in %s is called %q%s", dir, ref, settings.Nearest(name, names))}, err) // err lists unreadable runs
}

// last returns the last of runs that are sorted by start. If it is a trial of a search, last returns
// the trial that is best on the validation split, among those that halving trained for longest.
func last(all []*Run) *Run {
	best, rank := all[len(all)-1], []float64{math.Inf(-1)}
	words, halving := best.search()
	for _, r := range all {
		m, err := r.Chosen()
		score := r.Config.ValidScore(&m)
		if own, _ := r.search(); words == nil || !slices.Equal(own, words) || err != nil || r.Status.State != Finished || score == nil {
			continue
		}
		here := []float64{0, *score, -m.Get("valid_loss")} // the smaller loss, of equal scores
		if halving {
			here[0] = float64(r.Config.Epochs())
		}
		if slices.Compare(here, rank) > 0 {
			best, rank = r, here
		}
	}
	return best
}

// search returns the experiment and the settings of the command of a run that is a trial of a search.
// The flags may change when the search continues. It returns nil for other runs.
func (r *Run) search() (_ []string, halving bool) {
	if len(r.sessions) == 0 || !r.Config.Untested() {
		return nil, false
	}
	words, search := []string{r.Config.Name}, false
	for _, w := range r.sessions[len(r.sessions)-1].Command {
		search = search || strings.HasPrefix(w, "--search")
		halving = halving || strings.HasPrefix(w, "--halving")
		if !strings.HasPrefix(w, "-") && strings.Contains(w, "=") {
			words = append(words, w)
		}
	}
	if !search {
		return nil, false
	}
	return words, halving
}

// IsFolder reports whether ref is a path: it contains a separator or is a run's folder.
func IsFolder(ref string) bool {
	if strings.Contains(ref, "[") && strings.HasSuffix(ref, "]") {
		return false
	}
	if strings.ContainsAny(ref, "/"+string(os.PathSeparator)) || ref == "." || ref == ".." {
		return true
	}
	_, err := os.Stat(filepath.Join(ref, configFile))
	return ref != "" && err == nil
}

func match(all []*Run, ref string) ([]*Run, error) {
	name, _, hasSettings := strings.Cut(ref, "[")
	var named []*Run
	for _, r := range all {
		if r.Config.Name == name {
			named = append(named, r)
		}
	}
	if hasSettings {
		given, err := BracketSettings(ref)
		if err != nil {
			return nil, err
		}
		if named, err = With(named, given); err != nil {
			return nil, fmt.Errorf("%q: %w", ref, err)
		}
		return named, nil
	}
	if len(named) > 0 || len(ref) < idPrefix {
		return named, nil
	}
	for _, r := range all {
		if strings.HasPrefix(r.Config.ID, strings.ToLower(ref)) {
			named = append(named, r)
		}
	}
	return named, nil
}

// UnreadableError is the error for a run folder that cannot be read.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string { return e.Err.Error() }
func (e *UnreadableError) Unwrap() error { return e.Err }

// NoFiles reports whether err is the limit of open files. The file itself may be intact.
func NoFiles(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

// Fatal returns err, an error of List. It returns nil if err is about single runs.
func Fatal(err error) error {
	if len(Unreadable(err)) > 0 {
		return nil
	}
	return err
}

// Unreadable returns the errors about single runs that an error of List joins.
func Unreadable(err error) []*UnreadableError {
	if e, is := err.(*UnreadableError); is {
		return []*UnreadableError{e}
	}
	var out []*UnreadableError
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range joined.Unwrap() {
			out = append(out, Unreadable(one)...)
		}
	}
	return out
}

// List returns the runs under dir, oldest first. Folders that are not runs are skipped,
// and a missing dir holds no runs. The error joins an UnreadableError for each run that
// cannot be read; the runs returned with it are complete. With any other error (see Fatal) no runs are returned.
func List(dir string) ([]*Run, error) {
	paths, err := Folders(dir)
	if NoFiles(err) || err != nil && len(paths) == 0 {
		return nil, err
	}
	var all []*Run
	errs := []error{err}
	for _, path := range paths {
		r, err := Open(path)
		switch {
		case err == nil:
			all = append(all, r)
		case NoFiles(err):
			return nil, err
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, &UnreadableError{path, err})
		}
	}
	slices.SortStableFunc(all, func(a, b *Run) int {
		return cmp.Or(a.Time().Compare(b.Time()), cmp.Compare(a.Path, b.Path))
	})
	return all, errors.Join(errs...)
}

// Folders returns the folders in the folders of dir, none if dir is missing. Hidden ones are skipped, and
// links are not followed.
func Folders(dir string) (paths []string, err error) {
	names, err := folders(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, name := range names {
		ids, e := folders(name)
		paths, err = append(paths, ids...), errors.Join(err, e)
	}
	return paths, err
}

func folders(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// BracketSettings returns the settings of name[key=value,…], nil if there are no brackets.
func BracketSettings(ref string) ([]string, error) {
	_, list, bracket := strings.Cut(ref, "[")
	if !bracket {
		return nil, nil
	}
	list, closed := strings.CutSuffix(list, "]")
	if !closed {
		return nil, fmt.Errorf("%q: want name[key=value,…]", ref)
	}
	out := settings.List(list)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out, nil
}

// tagKey is the key of a tag in conditions.
const tagKey = "tag"

// cites reports whether ref, the beginning of an ID or a folder, is the run of a citation.
func cites(citation, ref string) bool {
	c, err := ParseCitation(citation)
	id, name := strings.ToLower(filepath.Base(ref)), filepath.Base(filepath.Dir(ref))
	return err == nil && (name == "." || name == c.Name) && len(id) >= idPrefix && (strings.HasPrefix(id, c.ID) || strings.HasPrefix(c.ID, id))
}

// With returns the runs that satisfy all conditions, key=value or key!=value. A run has a
// value if its Config or its Normalized one has it; tag=WORD is a tag of its Remarks.
func With(all []*Run, conditions []string) ([]*Run, error) {
	out := slices.Clone(all)
	if len(conditions) == 0 {
		return out, nil
	}
	configs := make(map[*Run]Config, len(all))
	for _, r := range all {
		configs[r] = r.Normalized()
	}
	for _, c := range conditions {
		key, value, err := settings.Cut(c)
		if err != nil {
			return nil, err
		}
		key, not := strings.CutSuffix(key, "!")
		if err := known(configs, key); err != nil {
			return nil, err
		}
		var failed error
		out = slices.DeleteFunc(out, func(r *Run) bool {
			if key == tagKey {
				m, err := r.Remarks()
				failed = cmp.Or(failed, err)
				return slices.Contains(m.Tags, value) == not
			}
			c := configs[r]
			own, ok := c.Settings.Get(key)
			raw := r.Config.Setting(key)
			return (ok && (sameValue(own, value) || sameValue(raw, value) || slices.Contains(CitingKeys, key) && cites(raw, value))) == not
		})
		if failed != nil {
			return nil, failed
		}
	}
	return out, nil
}

// known checks that one of the runs has a setting.
func known(all map[*Run]Config, key string) error {
	keys := []string{tagKey}
	for _, c := range all {
		for _, s := range c.Settings {
			keys = append(keys, s.Key)
		}
	}
	if len(keys) == 1 || slices.Contains(keys, key) {
		return nil
	}
	return fmt.Errorf("unknown setting %q%s", key, settings.Nearest(key, keys))
}

// sameValue compares values as users write them: 1e-3 equals 0.001, and 1 equals true.
func sameValue(own, asked string) bool {
	if a, err := strconv.ParseFloat(own, 64); err == nil {
		b, err := strconv.ParseFloat(asked, 64)
		return own == asked || err == nil && a == b
	}
	b, err := strconv.ParseBool(asked)
	return own == asked || err == nil && strconv.FormatBool(b) == own
}
