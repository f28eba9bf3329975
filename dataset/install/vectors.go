package dataset

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/natefinch/atomic"

	"imdbexp/internal/fsx"
)

// AddVectors puts a file of word vectors of any format that ReadVectors reads
// into the data folder, under a name that settings then call it by, in place of
// vectors that had that name. The file is copied as it is packed, of a zip the
// member chosen by FILE#MEMBER alone, and every byte of the copy is checked
// before it gets its name: after an error the folder holds what it held before.
// It takes the lock of the folder.
func AddVectors(ctx context.Context, dir, file, name string, o OpenOptions) (a Added, err error) {
	if err := vectorsName(name); err != nil {
		return a, err
	}
	err = staging(dir, func(incoming string) (err error) {
		a, err = addVectors(ctx, dir, incoming, file, name, o)
		return err
	})
	return a, err
}

// addVectors is AddVectors with the lock held.
func addVectors(ctx context.Context, dir, incoming, file, name string, o OpenOptions) (Added, error) {
	items, err := Installed(dir)
	if err != nil {
		return Added{}, err
	}
	if slices.ContainsFunc(items, func(i Item) bool { return i.Kind != VectorsKind && i.Name == name }) {
		return Added{}, fmt.Errorf("data=%s is installed in %s already: choose another name for the vectors", name, dir)
	}
	file, member := splitMember(file)
	pack, err := packing(file)
	if err != nil {
		return Added{}, err
	}
	staged := filepath.Join(incoming, name+pack)
	if pack == ".zip" {
		err = bringMember(ctx, file, member, staged, o)
	} else if err = bring(ctx, file, staged, o); err == nil && member != "" {
		err = fmt.Errorf("%s: not a zip, so that it has no member %s", file, quoteName(member))
	}
	if err != nil {
		return Added{}, err
	}
	v, l, err := readVectors(ctx, staged, VectorOptions{Keep: []string{}, Shown: file, Progress: o.Progress})
	if err != nil {
		return Added{}, err
	}
	final := filepath.Join(dir, name+l.ending()+pack)
	return installVectors(ctx, dir, staged, final, name, v, o)
}

// installVectors gives checked vectors their place and takes note of them.
func installVectors(ctx context.Context, dir, staged, final, name string, v *Vectors, o OpenOptions) (Added, error) {
	for _, ending := range vectorEndings { // what is being replaced
		o.warn(name, forget(o.cacheDir(dir), dir, filepath.Join(dir, name+ending), []string{name}))
	}
	if err := record(dir, filepath.Base(final), nil); err != nil {
		return Added{}, err
	}
	if err := atomic.ReplaceFile(staged, final); err != nil {
		return Added{}, err
	}
	for _, ending := range vectorEndings {
		if other := filepath.Join(dir, name+ending); other != final {
			if err := fsx.RemoveFile(other); err != nil {
				return Added{}, err
			}
		}
	}
	info, err := os.Stat(final)
	if err != nil {
		return Added{}, err
	}
	a := Added{
		Item:   Item{Kind: VectorsKind, Name: name, Path: final, Bytes: info.Size()},
		Digest: v.Digest, Digests: map[string]string{name: v.Digest}, Dims: []int{v.Dim}, Words: v.Total,
	}
	if err := record(dir, filepath.Base(final), a.record()); err != nil {
		return Added{}, err
	}
	o.warn(filepath.Base(final), remember(ctx, o.cacheDir(dir), final, func(cache, path, state string) error {
		return writeStamp(cache, path, "", state, v.Digest)
	}))
	return a, nil
}

// bringMember copies one member of a zip, as it is compressed, into a zip of its
// own.
func bringMember(ctx context.Context, file, member, to string, o OpenOptions) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return damaged(file, "its beginning", err)
	}
	defer z.Close()
	f, err := zipMember(&z.Reader, member)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	in, err := f.OpenRaw()
	if err != nil {
		return damaged(file, "its beginning", err)
	}
	return fsx.WriteFile(to, func(w io.Writer) error {
		out := zip.NewWriter(w)
		header := f.FileHeader
		m, err := out.CreateRaw(&header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(m, &meter{ctx: ctx, r: in, total: int64(f.CompressedSize64), progress: o.Progress}); err != nil {
			return damaged(file+"#"+f.Name, "its beginning", err)
		}
		return out.Close()
	})
}

// ending is that of the name of installed vectors, before how they are packed.
func (l layout) ending() string {
	if l.binary {
		return ".vectors.bin"
	}
	return ".vectors.txt"
}

// vectorEndings are those of all files of installed vectors.
var vectorEndings = func() (all []string) {
	for _, l := range []layout{{}, {binary: true}} {
		for _, pack := range []string{"", ".gz", ".zst", ".zip"} {
			all = append(all, l.ending()+pack)
		}
	}
	return all
}()

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// vectorsName refuses names that vectors cannot have.
func vectorsName(name string) error {
	switch {
	case !goodName.MatchString(name):
		return fmt.Errorf("the name %s: use up to 64 small letters, digits and hyphens", quoteName(name))
	case slices.Contains([]string{"imdb", "sample", Phrases, "auto", "corpus", "random"}, name), strings.HasPrefix(name, "glove"):
		return fmt.Errorf("the name %s means something already: choose another", name)
	}
	return nil
}

// installedVectors lists the vectors that have names, by name.
func installedVectors(dir string) ([]Item, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var items []Item
	for _, e := range entries { // in the order of their names
		name, rest, _ := strings.Cut(e.Name(), ".")
		if !slices.Contains(vectorEndings, "."+rest) || vectorsName(name) != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // a link counts as what it leads to
		if err != nil || !info.Mode().IsRegular() || len(items) > 0 && items[len(items)-1].Name == name {
			continue
		}
		items = append(items, Item{VectorsKind, name, path, info.Size()})
	}
	return items, nil
}
