// Package fetch downloads published archives over HTTP into the data folder.
//
//	IMDB, GloVe  →  File, Member  →  transfer          →  folder.AddExpected
//	what, where     a whole file,    attempts, Range,     checks the content,
//	                a zip's member   the file so far      packs it
//
// A download goes to NAME.….part in the folder downloads of the data folder; its name has a digest of
// the origin of the bytes. After a broken connection, Ctrl-C or a crash the next download asks the
// server for the missing bytes only (Range). A whole file is read and must have the expected digest.
//
// Of a zip only one member is fetched. Its deflated bytes are kept as they are, between
// the header and the trailer of a gzip file. The checksum of that file is the one that the
// zip's directory has for the member.
//
// Everything that is read from a server is limited in size and time.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/probe"
	"imdbexp/internal/fsx"
)

// Archive is a published archive.
type Archive struct {
	File string // its name
	URL  string // where its authors publish it
}

// The archives that can be fetched.
var (
	// IMDBArchive is the Large Movie Review Dataset v1.0 (Maas et al. 2011), 84 MB.
	IMDBArchive = Archive{"aclImdb_v1.tar.gz", "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"}
	// GloVeArchive is GloVe 6B (Pennington et al. 2014), 862 MB. Only one member is
	// fetched.
	GloVeArchive = Archive{"glove.6B.zip", "https://nlp.stanford.edu/data/glove.6B.zip"}
)

// At returns the address of an archive in the folder of a mirror, or for "" its authors' address.
func (a Archive) At(mirror string) string {
	if mirror == "" {
		return a.URL
	}
	return strings.TrimRight(mirror, "/") + "/" + a.File
}

// File fetches url to path, and continues what an earlier call left. It does not fetch a file that exists.
func File(ctx context.Context, url, path string, o Options) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	t := newTransfer(url, path, o)
	if err := t.resume(0); err != nil {
		return err
	}
	if err := t.fetch(ctx, t.attempt); err != nil {
		return err
	}
	return t.in.Rename(t.part, t.name)
}

// Request is what to install. The zero value is valid.
type Request struct {
	Mirror  string // address of a folder with the archives; "": the authors' addresses
	Digest  string // of the content; "": the published one
	Options Options
	Open    folder.Options // how to read the content
}

// InstalledError is the error for data that is installed already.
type InstalledError struct{ folder.Item }

func (e *InstalledError) Error() string {
	return fmt.Sprintf("%s is installed already: %s", e.Name, e.Path)
}

// IMDB fetches the archive of reviews and installs it in the data folder.
func IMDB(ctx context.Context, dir string, r Request) (folder.Added, error) {
	url := IMDBArchive.At(r.Mirror)
	r.Options.Limit = cmp.Or(r.Options.Limit, 1<<30)
	return r.one(ctx, dir, "imdb", url, func(downloads string) (string, error) {
		file := filepath.Join(downloads, IMDBArchive.File)
		return file, File(ctx, url, file, r.Options)
	})
}

// GloVe fetches the vectors of one of folder.GloveDims and installs them.
func GloVe(ctx context.Context, dir string, dim int, r Request) (folder.Added, error) {
	url := GloVeArchive.At(r.Mirror)
	r.Options.Limit = cmp.Or(r.Options.Limit, 2<<30)
	return r.one(ctx, dir, folder.GloveName(dim), url, func(downloads string) (string, error) {
		return Member(ctx, url, fmt.Sprintf("glove.6B.%dd.txt", dim), downloads, r.Options)
	})
}

// one fetches one file and installs it under a name.
func (r *Request) one(ctx context.Context, dir, name, url string, fetch func(downloads string) (string, error)) (added folder.Added, err error) {
	err = install(ctx, dir, name, url, func(downloads string) ([]string, error) {
		file, err := fetch(downloads)
		return []string{file}, err
	}, func(files []string) (err error) {
		added, err = folder.AddExpected(ctx, dir, files[0], name, cmp.Or(r.Digest, dataset.Published(name)), r.Open)
		return err
	})
	return added, err
}

// install fetches files into the folder of downloads, while it holds the lock of the data folder, adds
// them and removes them, unless data of that name are installed. After an error of this machine, such as
// a full disk, the files stay, because their content is right.
func install(ctx context.Context, dir, name, url string, fetch func(downloads string) ([]string, error), add func(files []string) error) error {
	files, err := download(dir, name, fetch)
	if err != nil {
		return err
	}
	err = add(files)
	_, inPath := errors.AsType[*fs.PathError](err)
	_, inLink := errors.AsType[*os.LinkError](err)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case inPath || inLink:
		return fmt.Errorf("%s: %w; the download is kept: fetch again when this is fixed", url, err)
	case err != nil:
		err = fmt.Errorf("%s: %w; the download was removed: fetch again, or from a mirror ($EXP_MIRROR)", url, err)
	}
	for _, file := range files {
		err = errors.Join(err, fsx.In(filepath.Dir(file)).Remove(filepath.Base(file)))
	}
	_ = os.Remove(filepath.Join(dir, folder.DownloadFolder)) // fails unless it is empty
	return err
}

// download calls fetch with the folder of downloads.
func download(dir, name string, fetch func(downloads string) ([]string, error)) ([]string, error) {
	unlock, err := folder.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	items, err := folder.Installed(dir)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(items, func(i folder.Item) bool { return i.Name == name }); i >= 0 {
		return nil, &InstalledError{items[i]}
	}
	if err := fsx.In(dir, folder.DownloadFolder).Make(); err != nil {
		return nil, err
	}
	downloads := filepath.Join(dir, folder.DownloadFolder)
	defer os.Remove(downloads) // fails unless it is empty
	return fetch(downloads)
}

// MinimalName is the name in the data folder of the minimal pairs of MinimalFiles.
const MinimalName = "minimal"

// minimalDigest is that of their content.
const minimalDigest = "2078f73cd9e027ec446c5762c0d931ba8c5f05b44bfbc75ec1dec99a5b8d6a5d"

// The folders of the minimal pairs in their authors' repositories.
const (
	rewritings = "https://raw.githubusercontent.com/acmi-lab/counterfactually-augmented-data/HEAD/sentiment/combined/paired/"
	contrasts  = "https://raw.githubusercontent.com/allenai/contrast-sets/e44faab7e5f77c5529c93fbc341ef208cfdbd541/IMDb/data/"
)

// MinimalFiles are the minimal pairs of reviews of IMDB, 5.6 MB: rewritings of 2 440 (Kaushik, Hovy
// and Lipton 2020) and contrast sets of 588 (Gardner et al. 2020). The sets of a probe are called
// after files, so files of equal names have other ones here.
var MinimalFiles = []Archive{
	{"cad_dev_paired.tsv", rewritings + "dev_paired.tsv"},
	{"cad_test_paired.tsv", rewritings + "test_paired.tsv"},
	{"cad_train_paired.tsv", rewritings + "train_paired.tsv"},
	{"cs_dev_original.tsv", contrasts + "dev_original.tsv"},
	{"cs_dev_contrast.tsv", contrasts + "dev_contrast.tsv"},
	{"cs_test_original.tsv", contrasts + "test_original.tsv"},
	{"cs_test_contrast.tsv", contrasts + "test_contrast.tsv"},
}

// Minimal fetches files of minimal pairs and installs them as one probe. A mirror has them
// under their names here.
func Minimal(ctx context.Context, dir string, files []Archive, r Request) (added folder.ProbeAdded, err error) {
	err = install(ctx, dir, MinimalName, files[0].At(r.Mirror), func(downloads string) (paths []string, err error) {
		for _, f := range files {
			path := filepath.Join(downloads, f.File)
			if err := File(ctx, f.At(r.Mirror), path, r.Options); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
		return paths, nil
	}, func(paths []string) (err error) {
		added, err = folder.AddProbe(ctx, dir, probe.Files{Name: MinimalName, Files: paths, Digest: cmp.Or(r.Digest, minimalDigest)}, r.Open)
		return err
	})
	return added, err
}
