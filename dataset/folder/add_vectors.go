package folder

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
)

// AddVectors copies a file of word vectors, in any format that vectors.Read reads, into the
// data folder under a name for settings. It replaces vectors of that name. The file stays
// packed; of a zip only the member of FILE#MEMBER is copied. Every byte of the copy is
// checked before it gets its name. Vectors locks the folder.
func AddVectors(ctx context.Context, dir, file, name string, o Options) (a Added, err error) {
	if err := CheckName(name); err != nil {
		return a, err
	}
	err = stage(dir, func(incoming string) (err error) {
		a, err = addVectors(ctx, dir, incoming, file, name, o)
		return err
	})
	return a, err
}

// addVectors is Vectors with the lock held.
func addVectors(ctx context.Context, dir, incoming, file, name string, o Options) (Added, error) {
	items, err := Installed(dir)
	if err != nil {
		return Added{}, err
	}
	if slices.ContainsFunc(items, func(i Item) bool { return i.Kind != VectorsKind && i.Name == name }) {
		return Added{}, fmt.Errorf("data=%s is installed in %s already: choose another name for the vectors", name, dir)
	}
	file, member := stream.SplitMember(file)
	pack, err := stream.Packing(file)
	if err != nil {
		return Added{}, err
	}
	staged := filepath.Join(incoming, name+pack)
	if pack == ".zip" {
		err = copyMember(ctx, file, member, staged, o)
	} else if err = copyIn(ctx, file, staged, o); err == nil && member != "" {
		err = fmt.Errorf("%s is not a zip and has no member %s", file, stream.Quote(member))
	}
	if err != nil {
		return Added{}, err
	}
	v, err := vectors.Read(ctx, staged, vectors.Options{Keep: []string{}, Shown: file, Progress: o.Progress, Warn: o.Warn})
	if err != nil {
		return Added{}, err
	}
	final := filepath.Join(dir, name+vectorsSuffix(v.Binary)+pack)
	var others []string
	for _, suffix := range vectorsSuffixes { // replaced
		others = append(others, filepath.Join(dir, name+suffix))
		o.NotCached(name, forget(o.Cache(dir), dir, filepath.Join(dir, name+suffix), []string{name}))
	}
	a := Added{
		Item:   Item{Kind: VectorsKind, Name: name},
		Digest: v.Digest, Digests: map[string]string{name: v.Digest}, Dims: []int{v.Dim}, Words: v.Total,
	}
	return settle(ctx, dir, staged, final, others, a, func(cacheDir, path, state string) error {
		return cache.WriteStamp(cacheDir, path, "", state, v.Digest)
	}, o)
}

// copyMember copies one member of a zip into its own zip, without unpacking it.
func copyMember(ctx context.Context, file, member, to string, o Options) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return stream.Damaged(file, "its beginning", err)
	}
	defer z.Close()
	f, err := stream.ZipMember(&z.Reader, member)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	in, err := f.OpenRaw()
	if err != nil {
		return stream.Damaged(file, "its beginning", err)
	}
	return fsx.WriteFile(to, func(w io.Writer) error {
		out := zip.NewWriter(w)
		header := f.FileHeader
		m, err := out.CreateRaw(&header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(m, &stream.Meter{Context: ctx, R: in, Total: int64(f.CompressedSize64), Progress: o.Progress}); err != nil {
			return stream.Damaged(file+"#"+f.Name, "its beginning", err)
		}
		return out.Close()
	})
}
