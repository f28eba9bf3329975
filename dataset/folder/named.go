package folder

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
)

// addNamed puts the file that write makes into the data folder, under a name that the user gives.
func addNamed(ctx context.Context, dir string, found Found, force bool, shown string, o Options, write func(to string) error) (a Added, err error) {
	if err := CheckName(found.Name); err != nil {
		return a, err
	}
	if suffix, data := ownSuffix[found.Kind]; data {
		found.File = found.Name + suffix
	}
	err = stage(dir, func(incoming string) error {
		if err := free(dir, found, force); err != nil {
			return err
		}
		staged := filepath.Join(incoming, found.Name)
		if err := write(staged); err != nil {
			return err
		}
		a, err = finish(ctx, dir, staged, found, force, Expected{Shown: shown}, o)
		return err
	})
	return a, err
}

// free checks that the name is free for data of that kind.
func free(dir string, found Found, force bool) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(items, named(found.Name))
	if i < 0 {
		return nil
	}
	switch there := items[i].Kind; {
	case found.Kind != there && found.Kind == VectorsKind:
		return fmt.Errorf("data=%s is installed in %s already: choose another name for the vectors", found.Name, dir)
	case found.Kind != there && there == VectorsKind:
		return fmt.Errorf("vectors=%s is installed in %s already: choose another name for the data", found.Name, dir)
	case found.Kind != there:
		return fmt.Errorf("data=%s is installed in %s already and is of another kind (%s): choose another name, or remove it first", found.Name, dir, there)
	case !force:
		setting := "data"
		if there == VectorsKind {
			setting = "vectors"
		}
		return fmt.Errorf("%s=%s is installed in %s already: --force replaces it, another --name keeps both", setting, found.Name, dir)
	}
	return nil
}

// ReviewsAdded describes what AddReviews put into the data folder.
type ReviewsAdded struct {
	Added
	own.Reviews
}

// AddReviews makes a data set of the user's labelled texts, whatever their format, and puts it
// into the data folder in one format. Everything is checked before the file gets its name.
// AddReviews locks the folder.
func AddReviews(ctx context.Context, dir string, in own.Data, o Options) (a ReviewsAdded, err error) {
	a.Added, err = addNamed(ctx, dir, Found{Kind: CorpusKind, Name: in.Name}, in.Force, in.Name, o, func(to string) (err error) {
		a.Reviews, err = in.WriteReviews(ctx, to, o.Limits, o.Progress)
		return err
	})
	return a, err
}

// PairsAdded describes what AddPairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// AddPairs makes a data set of the user's sentence pairs and puts it into the data folder; see
// tables.ReadPairs for the files. The test part is in.Test or comes from a column split;
// without them a fraction of the sources is held out, each with all its translations. AddPairs
// ignores Classes, Unlabelled and Columns of in. It locks the folder.
func AddPairs(ctx context.Context, dir string, in own.Data, o Options) (a PairsAdded, err error) {
	a.Added, err = addNamed(ctx, dir, Found{Kind: PairsKind, Name: in.Name}, in.Force, in.Name, o, func(to string) (err error) {
		a.Pairs, err = in.WritePairs(ctx, to, o.Progress)
		return err
	})
	return a, err
}

// ProbeAdded describes what AddProbe put into the data folder.
type ProbeAdded struct {
	Added
	Probe   *probe.Probe
	Sources []probe.FileRead
}

// AddProbe makes a probe of the user's minimal pairs and puts it into the data folder. It locks the
// folder.
func AddProbe(ctx context.Context, dir string, in probe.Files, o Options) (a ProbeAdded, err error) {
	a.Added, err = addNamed(ctx, dir, Found{Kind: ProbeKind, Name: in.Name}, in.Force, in.Name, o, func(to string) (err error) {
		if a.Probe, a.Sources, err = in.Gather(ctx, o.Progress); err != nil {
			return err
		}
		var names []string
		for _, s := range a.Sources {
			names = append(names, s.File+" ("+s.How.String()+")")
		}
		return a.Probe.Write(to, names)
	})
	return a, err
}

// AddVectors copies a file of word vectors, in any format that vectors.Read reads, into the data folder
// under a name for settings, compressed by gzip. Every byte of the copy is checked before it gets its name.
// AddVectors locks the folder.
func AddVectors(ctx context.Context, dir, file, name string, force bool, o Options) (Added, error) {
	found := Found{Kind: VectorsKind, Name: name, File: name + vectorsSuffixes[0], members: []string{""}}
	return addNamed(ctx, dir, found, force, file, o, func(to string) error {
		in, shown, err := stream.OpenInside(ctx, file, "", "", vectors.MaxBytes, o.Progress)
		if err != nil {
			return err
		}
		defer in.Close()
		return fsx.WriteFile(to, func(w io.Writer) error {
			z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
			if err != nil {
				return err
			}
			if _, err := io.Copy(z, in); err != nil {
				return stream.Damaged(shown, "its beginning", err)
			}
			return z.Close()
		})
	})
}
