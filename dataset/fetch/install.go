package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/fsx"
)

// Archive is a published archive.
type Archive struct {
	File string // its name
	URL  string // where its authors publish it
	Sum  Checksum
}

// The archives that can be fetched.
var (
	// IMDBArchive is the Large Movie Review Dataset v1.0 (Maas et al. 2011), 84 MB.
	IMDBArchive = Archive{
		File: "aclImdb_v1.tar.gz",
		URL:  "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
		Sum:  Checksum{"md5", "7c2ac02c03563afcf9b574c7e56c153a"},
	}
	// GloVeArchive is GloVe 6B (Pennington et al. 2014), 862 MB. Only one member is
	// fetched.
	GloVeArchive = Archive{File: "glove.6B.zip", URL: "https://nlp.stanford.edu/data/glove.6B.zip"}
)

// Address returns the address of an archive: the given one, or the archive in the folder of a
// mirror, or its authors' address.
func (a Archive) Address(given, mirror string) (string, error) {
	address, source, example := a.URL, "", "https://mirror.example/"+a.File
	switch {
	case given != "":
		address, source = given, "--url "+given
	case mirror != "":
		address, source = strings.TrimRight(mirror, "/")+"/"+a.File, "$EXP_MIRROR "+mirror
		example = "https://mirror.example, of the folder that holds " + a.File
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%s: give an address such as %s", source, example)
	}
	return address, nil
}

// Request is what to install. The zero value is good.
type Request struct {
	URL      string   // "" is the authors' address
	Checksum Checksum // of the archive (IMDB) or of the vectors' text (GloVe, SHA-256); zero: the known one
	Options  Options
	Open     folder.Options // how to read the content
}

// InstalledError is the error for data that is installed already.
type InstalledError struct{ folder.Item }

func (e *InstalledError) Error() string {
	return fmt.Sprintf("%s is installed already: %s", e.Name, e.Path)
}

// IMDB fetches the archive of reviews and installs it in the data folder.
func IMDB(ctx context.Context, dir string, r Request) (folder.Added, error) {
	if r.Checksum == (Checksum{}) {
		r.Checksum = IMDBArchive.Sum
	}
	if r.Options.Limit == 0 {
		r.Options.Limit = 1 << 30
	}
	r.URL = cmp.Or(r.URL, IMDBArchive.URL)
	want := folder.Expected{Name: "imdb"}
	return fetchInto(ctx, dir, want, r, func(folder string) (string, error) {
		file := filepath.Join(folder, IMDBArchive.File)
		return file, File(ctx, r.URL, file, r.Checksum, r.Options)
	})
}

// GloVe fetches the vectors of one of folder.GloveDims and installs them.
func GloVe(ctx context.Context, dir string, dim int, r Request) (folder.Added, error) {
	if r.Options.Limit == 0 {
		r.Options.Limit = 2 << 30
	}
	r.URL = cmp.Or(r.URL, GloVeArchive.URL)
	name := fmt.Sprintf("glove%d", dim)
	want := folder.Expected{Name: name, Digest: cmp.Or(r.Checksum.Hex, dataset.Published(name))}
	return fetchInto(ctx, dir, want, r, func(folder string) (string, error) {
		return Member(ctx, r.URL, fmt.Sprintf("glove.6B.%dd.txt", dim), folder, GloVeArchive.File, r.Options)
	})
}

// download calls fetch with the folder of downloads, and holds the lock of the data folder, unless data
// of that name are installed.
func download(dir, name string, fetch func(downloads string) error) error {
	unlock, err := folder.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	items, err := folder.Installed(dir)
	if err != nil {
		return err
	}
	if _, err := folder.Records(dir); err != nil { // it could not be recorded
		return err
	}
	for _, i := range items {
		if i.Name == name {
			return &InstalledError{i}
		}
	}
	downloads := filepath.Join(dir, folder.DownloadFolder)
	if err := fsx.In(dir, folder.DownloadFolder).Make(); err != nil {
		return err
	}
	defer os.Remove(downloads) // fails unless it is empty
	return fetch(downloads)
}

// fetchInto fetches data that is not installed, checks it and installs it.
func fetchInto(ctx context.Context, dir string, want folder.Expected, r Request, fetch func(folder string) (string, error)) (added folder.Added, err error) {
	err = download(dir, want.Name, func(downloads string) error {
		file, err := fetch(downloads)
		if err == nil {
			added, err = adopt(ctx, dir, file, want, r)
		}
		return err
	})
	return added, err
}

// adopt installs a download, or removes it if its content is wrong.
func adopt(ctx context.Context, dir, file string, want folder.Expected, r Request) (none folder.Added, err error) {
	added, err := folder.Adopt(ctx, dir, file, want, r.Open)
	if err == nil || ctx.Err() != nil {
		return added, err
	}
	_, inPath := errors.AsType[*fs.PathError](err)
	_, inLink := errors.AsType[*os.LinkError](err)
	if inPath || inLink { // a full or read-only disk: the content is right
		return none, fmt.Errorf("%s: %w; the download is kept: fetch again when this is fixed", r.URL, err)
	}
	if rm := fsx.RemoveFile(file); rm != nil {
		return none, errors.Join(err, rm)
	}
	return none, fmt.Errorf("%s: %w; the download was removed: fetch again, or from another address with --url", r.URL, err)
}
