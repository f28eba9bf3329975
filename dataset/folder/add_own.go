package folder

import (
	"context"
	"fmt"
	"path/filepath"

	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/sample"
)

// ReviewsAdded describes what Reviews put into the data folder.
type ReviewsAdded struct {
	Added
	own.Reviews
}

// AddReviews makes a data set of the user's labelled texts, whatever their format, and puts it
// into the data folder in one format. Everything is checked before the file gets its name.
// AddReviews locks the folder.
func AddReviews(ctx context.Context, dir string, in own.Data, o Options) (a ReviewsAdded, err error) {
	a.Added, err = addOwn(ctx, dir, &in, Found{Kind: CorpusKind, Name: in.Name, File: in.Name + ReviewsSuffix}, o,
		func(inputs own.Inputs, to string) error {
			a.Reviews, err = in.WriteReviews(ctx, inputs, to, o.Limits, o.Progress)
			return err
		})
	if err != nil {
		return ReviewsAdded{}, err
	}
	return a, nil
}

// addOwn puts the file that write makes of the user's files into the data folder.
func addOwn(ctx context.Context, dir string, in *own.Data, found Found, o Options, write func(inputs own.Inputs, to string) error) (Added, error) {
	if err := CheckName(in.Name); err != nil {
		return Added{}, err
	}
	inputs, err := in.Inputs()
	if err != nil {
		return Added{}, err
	}
	return addNamed(ctx, dir, found, in.Force, o, func(to string) error { return write(inputs, to) })
}

// addNamed puts the file that write makes into the data folder, under a name that is free.
func addNamed(ctx context.Context, dir string, found Found, force bool, o Options, write func(to string) error) (a Added, err error) {
	err = stage(dir, func(incoming string) error {
		if err := free(dir, found, force); err != nil {
			return err
		}
		staged := filepath.Join(incoming, found.File)
		if err := write(staged); err != nil {
			return err
		}
		a, err = finish(ctx, dir, staged, filepath.Join(dir, found.File), found, false, Expected{Shown: found.Name}, o)
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
	for _, i := range items {
		switch {
		case i.Name != found.Name:
		case i.Kind == VectorsKind:
			return fmt.Errorf("vectors=%s is installed in %s already: choose another name for the data", i.Name, dir)
		case i.Kind != found.Kind:
			return fmt.Errorf("data=%s is installed in %s already and is of another kind (%s): choose another name, or remove it first", i.Name, dir, i.Kind)
		case !force:
			return fmt.Errorf("data=%s is installed in %s already: --force replaces it, another --name keeps both", i.Name, dir)
		}
	}
	return nil
}

// PairsAdded describes what Pairs put into the data folder.
type PairsAdded struct {
	Added
	own.Pairs
}

// AddPairs makes a data set of the user's sentence pairs and puts it into the data folder; see
// tables.ReadPairs for the files. The test part is in.Test or comes from a column split;
// without them a fraction of the sources is held out, each with all its translations. Pairs
// ignores Classes, Unlabelled and Columns of in. It locks the folder.
func AddPairs(ctx context.Context, dir string, in own.Data, o Options) (a PairsAdded, err error) {
	a.Added, err = addOwn(ctx, dir, &in, Found{Kind: PairsKind, Name: in.Name, File: in.Name + PairsSuffix}, o,
		func(inputs own.Inputs, to string) error {
			a.Pairs, err = in.WritePairs(ctx, inputs, to, o.Progress)
			return err
		})
	if err != nil {
		return PairsAdded{}, err
	}
	return a, nil
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
	if err := CheckName(in.Name); err != nil {
		return a, err
	}
	if a.Probe, a.Sources, err = in.Gather(ctx, o.Progress); err != nil {
		return ProbeAdded{}, err
	}
	a.Added, err = addNamed(ctx, dir, Found{Kind: ProbeKind, Name: in.Name, File: in.Name + ProbeSuffix}, in.Force, o, func(to string) error {
		var names []string
		for _, s := range a.Sources {
			names = append(names, s.File+" ("+s.How.String()+")")
		}
		return a.Probe.Write(to, names)
	})
	return a, err
}

// Probe returns the minimal pairs of that name: added ones, or sample for those of the sample data
// set. For data of another kind the error is a *KindError.
func Probe(ctx context.Context, dir, name string, o Options) (*probe.Probe, error) {
	if name == "sample" {
		return sample.MinimalPairs(), nil
	}
	i, err := findOwn(dir, name, ProbeKind)
	if err != nil {
		return nil, err
	}
	p, err := probe.Open(ctx, i.Path, i.Path, o.Progress)
	if err == nil {
		p.Name = name
	}
	return p, err
}
