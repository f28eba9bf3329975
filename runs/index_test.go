package runs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/runs"
)

// many returns a folder with copies of a finished run, as many as an index is written for
// and some more, which it has been.
func many(t *testing.T) (dir string, copies []string) {
	t.Helper()
	t.Cleanup(runs.Settling(0))
	one := t.TempDir()
	files := os.DirFS(trained(t, one).Path)
	dir = t.TempDir()
	for i := range runs.WorthKeeping + 8 {
		copies = append(copies, filepath.Join(dir, "tme9-simple", fmt.Sprintf("%03d", i)))
		require.NoError(t, os.CopyFS(copies[i], files))
	}
	return dir, copies
}

// anew lists the runs and tells how many of them had to be read.
func anew(dir string) int {
	x := runs.OpenIndex(dir)
	ids, _ := os.ReadDir(filepath.Join(dir, "tme9-simple"))
	for _, e := range ids {
		_, _ = x.Open("tme9-simple", e.Name())
	}
	return x.Anew()
}

// same requires that two readings of a run say the same, all that can be asked of it.
func same(t *testing.T, want, got *runs.Run) {
	t.Helper()
	require.Equal(t, want.Config, got.Config)
	require.Equal(t, want.Status, got.Status)
	require.True(t, want.Time().Equal(got.Time()))
	require.Equal(t, want.Size(), got.Size())
	require.Equal(t, want.ChosenEpoch(), got.ChosenEpoch())
	require.Equal(t, want.ChosenCheckpoint(), got.ChosenCheckpoint())
	for _, f := range []func(*runs.Run) (any, error){
		func(r *runs.Run) (any, error) { return r.Ends() },
		func(r *runs.Run) (any, error) { return r.Metrics() },
		func(r *runs.Run) (any, error) { return r.Citation() },
		func(r *runs.Run) (any, error) { return r.Environments() },
	} {
		a, err1 := f(want)
		b, err2 := f(got)
		require.Equal(t, err1, err2)
		require.Equal(t, a, b)
	}
}

// What the index says of a run is what its folder says, and is said without reading it.
func TestIndexSaysWhatTheFolderSays(t *testing.T) {
	dir, copies := many(t)
	require.NoFileExists(t, filepath.Join(dir, runs.IndexFile))
	first, err := runs.List(dir)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, runs.IndexFile))
	require.Zero(t, anew(dir))
	second, err := runs.List(dir)
	require.NoError(t, err)
	require.Len(t, second, len(copies))
	for i, r := range second {
		require.Equal(t, first[i].Path, r.Path)
		read, err := runs.Open(r.Path)
		require.NoError(t, err)
		same(t, read, r)
	}
	few := t.TempDir()
	trained(t, few)
	_, err = runs.List(few)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(few, runs.IndexFile), "not worth it")
}

// No field of a run's configuration is lost in the index, those that are still to come
// either.
func TestIndexKeepsEveryField(t *testing.T) {
	dir := t.TempDir()
	r := trained(t, dir, "select=best")
	c := r.Config
	fill(reflect.ValueOf(&c).Elem())
	c.ID, c.Digest, c.Settings = r.Config.ID, r.Config.Digest, r.Config.Settings
	r.Config = c
	same(t, r, runs.Kept(r))
}

// fill gives every field of a value something else than nothing.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("7 é\t")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.SetMapIndex(key, value)
	default:
		panic(v.Kind())
	}
}

// Whatever happens to a run's folder shows in the next list.
func TestIndexIsNeverTrustedOverTheFolder(t *testing.T) {
	dir, copies := many(t)
	write := func(file, text string) func(string) error {
		return func(path string) error { return os.WriteFile(filepath.Join(path, file), []byte(text), 0o666) }
	}
	edit := func(file, old, new string) func(string) error {
		return func(path string) error {
			path = filepath.Join(path, file)
			info, err1 := os.Stat(path)
			b, err2 := os.ReadFile(path)
			if err := errors.Join(err1, err2); err != nil || !strings.Contains(string(b), old) {
				return errors.Join(err, errors.New(old+" is not there"))
			}
			return errors.Join(os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o666),
				os.Chtimes(path, info.ModTime(), info.ModTime())) // as if nothing had been
		}
	}
	remove := func(file string) func(string) error {
		return func(path string) error { return os.Remove(filepath.Join(path, file)) }
	}
	cases := map[string]func(path string) error{
		"configuration rubbish":  write("config.yaml", "format: 1\nrubbish: 1\n"),
		"configuration gone":     remove("config.yaml"),
		"checkpoint rubbish":     write("last.safetensors", "rubbish"),
		"checkpoint gone":        remove("last.safetensors"),
		"metrics cut":            write("metrics.jsonl", "{"),
		"metrics gone":           remove("metrics.jsonl"),
		"environment of another": write("environment.json", `{"format":1,"sessions":[{"started":"2020-01-01T00:00:00Z"}]}`),
		"environment gone":       remove("environment.json"),
		"the folder gone":        os.RemoveAll,
		"link as checkpoint": func(path string) error {
			return errors.Join(os.Remove(path+"/last.safetensors"), os.Symlink(copies[0]+"/last.safetensors", path+"/last.safetensors"))
		},
		"link as the folder": func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink(copies[0], path)) },
		"trained again, half way": func(path string) error {
			return errors.Join(remove("last.safetensors")(path), remove("prev.safetensors")(path), remove("metrics.jsonl")(path))
		},
	}
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" { // which know when a file was changed, whatever it says
		cases["accuracy of the same length and time"] = edit("metrics.jsonl", `"test_acc":60`, `"test_acc":99`)
	}
	_, err := runs.List(dir)
	require.NoError(t, err)
	require.Zero(t, anew(dir))
	i := 0
	for name, do := range cases {
		i++
		path := copies[i]
		before, err := runs.Open(path)
		require.NoError(t, err)
		was, err := before.Ends()
		require.NoError(t, err)
		require.NoError(t, do(path), name)
		read, readErr := runs.Open(path)
		if name == "link as the folder" {
			readErr = os.ErrNotExist // a list passes over links
		}
		list, err := runs.List(dir)
		var got *runs.Run
		for _, r := range list {
			if r.Path == path {
				got = r
			}
		}
		if readErr != nil {
			require.Nil(t, got, name)
			require.Equal(t, errors.Is(readErr, os.ErrNotExist), err == nil, name)
			require.NoError(t, os.RemoveAll(path))
			continue
		}
		require.NotNil(t, got, name)
		same(t, read, got)
		is, _ := got.Ends()
		require.False(t, reflect.DeepEqual(was, is) && before.Status == got.Status && before.Time().Equal(got.Time()), "%s does not show", name)
		require.NoError(t, os.RemoveAll(path))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "tme9-simple", "new"), os.DirFS(copies[0])))
	list, err := runs.List(dir)
	require.NoError(t, err)
	require.Len(t, list, len(copies)-len(cases)+1)
}

// A run changed a moment ago is read, for a second change might not show.
func TestIndexWaitsUntilFilesSettle(t *testing.T) {
	dir, copies := many(t)
	t.Cleanup(runs.Settling(time.Hour))
	_, err := runs.List(dir)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, runs.IndexFile))
	require.Equal(t, 0, anew(dir), "none is to be kept")
	require.Len(t, copies, runs.WorthKeeping+8)
}

// An index that is lost, damaged, not writable, or no file at all costs time and nothing
// else; one that is a link leads nowhere.
func TestIndexIsOnlyACache(t *testing.T) {
	dir, copies := many(t)
	list := func() {
		t.Helper()
		all, err := runs.List(dir)
		require.NoError(t, err)
		require.Len(t, all, len(copies))
	}
	file := filepath.Join(dir, runs.IndexFile)
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("mine"), 0o666))
	for name, do := range map[string]func() error{
		"missing":   func() error { return nil },
		"rubbish":   func() error { return os.WriteFile(file, []byte("exp index 1\nrubbish"), 0o666) },
		"empty":     func() error { return os.WriteFile(file, nil, 0o666) },
		"a link":    func() error { return os.Symlink(other, file) },
		"a dangler": func() error { return os.Symlink(other+"x", file) },
	} {
		require.NoError(t, os.RemoveAll(file))
		require.NoError(t, do(), name)
		list()
		require.Zero(t, anew(dir), name)
		info, err := os.Lstat(file)
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular(), name)
	}
	b, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "mine", string(b))
	require.NoFileExists(t, other+"x")

	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Mkdir(file, 0o777))
	list()
	require.NoError(t, os.Remove(file))
	full := fsx.Inject(func(op fsx.Op) error {
		if strings.Contains(op.Path, runs.IndexFile) {
			return errDead
		}
		return nil
	})
	list()
	full()
	require.NoFileExists(t, file)
}

// Several processes that list and write the index at once find all runs, and leave a whole
// one.
func TestIndexOfSeveralWriters(t *testing.T) {
	dir, copies := many(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				list, err := runs.List(dir)
				if err != nil || len(list) != len(copies) {
					t.Errorf("%d runs: %v", len(list), err)
				}
				_ = os.Remove(filepath.Join(dir, runs.IndexFile))
			}
		})
	}
	all.Wait()
	_, err := runs.List(dir)
	require.NoError(t, err)
	require.Zero(t, anew(dir))
	left, err := filepath.Glob(filepath.Join(dir, ".*.aside"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// gc takes the index of runs that are gone, and what a process left that died in writing
// it.
func TestUnusedIndex(t *testing.T) {
	dir, copies := many(t)
	_, err := runs.List(dir)
	require.NoError(t, err)
	aside := filepath.Join(dir, "."+runs.IndexFile+".1-1.aside")
	require.NoError(t, os.WriteFile(aside, nil, 0o666))
	unused := func() (paths []string) {
		list, err := runs.FindUnused(dir)
		require.NoError(t, err)
		for _, u := range list {
			if filepath.Dir(u.Path) == dir {
				paths = append(paths, u.Path)
				require.NoError(t, u.Remove())
			}
		}
		return paths
	}
	require.Empty(t, unused(), "it may be being written")
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(aside, old, old))
	require.Equal(t, []string{aside}, unused())
	require.NoError(t, os.RemoveAll(filepath.Dir(copies[0])))
	require.Equal(t, []string{filepath.Join(dir, runs.IndexFile)}, unused())
	require.NoFileExists(t, filepath.Join(dir, runs.IndexFile))
}
