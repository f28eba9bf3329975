// Package fetch downloads published archives over HTTP into the data folder.
//
//	IMDB, GloVe  →  File, Member  →  transfer          →  folder.AddExpected
//	what, where     a whole file,    attempts, Range,     checks the content,
//	                a zip's member   the file so far      packs it
//
// A download goes to NAME.….part in the folder downloads of the data folder; its name has a digest of
// the origin of the bytes. After a broken connection, Ctrl-C or a crash the next download asks the
// server for the missing bytes only (Range). A file has its name only after its checksum was checked.
//
// Of a zip only one member is fetched. Its deflated bytes are kept as they are, between
// the header and the trailer of a gzip file. The checksum of that file is the one that the
// zip's directory has for the member.
//
// Everything that is read from a server is limited in size and time. The package prints
// nothing: Options has callbacks.
package fetch

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/url"
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
	Sum  Checksum
}

// The archives that can be fetched.
var (
	// IMDBArchive is the Large Movie Review Dataset v1.0 (Maas et al. 2011), 84 MB.
	IMDBArchive = Archive{"aclImdb_v1.tar.gz", "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz", "7c2ac02c03563afcf9b574c7e56c153a"}
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

// Checksum is the checksum of a file: 64 (SHA-256) or 32 (MD5) hexadecimal digits, or "" for an unknown one.
type Checksum string

// ParseChecksum reads a checksum.
func ParseChecksum(s string) (Checksum, error) {
	digits := strings.ToLower(strings.TrimSpace(s))
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != sha256.Size && len(b) != md5.Size {
		return "", fmt.Errorf("checksum %q: give the 64 hexadecimal digits of a SHA-256 or the 32 of an MD5", s)
	}
	return Checksum(digits), nil
}

// verify checks a file that came from url.
func (c Checksum) verify(path, url string) error {
	if c == "" {
		return nil
	}
	var h hash.Hash = sha256.New()
	kind := "SHA256"
	if len(c) == hex.EncodedLen(md5.Size) {
		h, kind = md5.New(), "MD5"
	}
	f, err := fsx.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != string(c) {
		return fmt.Errorf("%s: the checksum is %s %s instead of %[2]s %[4]s: the file is damaged or another one, and was removed; fetch again, or from another address with --url",
			url, kind, got, c)
	}
	return nil
}

// File fetches url to path and checks it; without a checksum any content is right. It
// continues what an earlier call left. It does not fetch a file that exists at path with the
// right checksum.
func File(ctx context.Context, url, path string, want Checksum, o Options) error {
	if _, err := os.Stat(path); err == nil {
		if want.verify(path, url) == nil {
			return nil
		}
		if err := fsx.RemoveFile(path); err != nil {
			return err
		}
	}
	t := newTransfer(url, path, o)
	if err := t.resume(0); err != nil {
		return err
	}
	if err := t.fetch(ctx, t.attempt); err != nil {
		return err
	}
	if err := want.verify(t.in.Path(t.part), url); err != nil {
		_ = t.remove() // the error of the checksum says more
		return err
	}
	return t.in.Rename(t.part, t.name)
}

// Request is what to install. The zero value is good.
type Request struct {
	URL      string   // "" is the authors' address
	Checksum Checksum // of the archive (IMDB) or of the vectors' text (GloVe, SHA-256); "": the known one
	Options  Options
	Open     folder.Options // how to read the content
}

// InstalledError is the error for data that is installed already.
type InstalledError struct{ folder.Item }

func (e *InstalledError) Error() string {
	return fmt.Sprintf("%s is installed already: %s", e.Name, e.Path)
}

// IMDB fetches the archive of reviews and installs it in the data folder.
func IMDB(ctx context.Context, dir string, r Request) (added folder.Added, err error) {
	r.URL, r.Options.Limit = cmp.Or(r.URL, IMDBArchive.URL), cmp.Or(r.Options.Limit, 1<<30)
	err = install(ctx, dir, "imdb", r.URL, func(downloads string) ([]string, error) {
		file := filepath.Join(downloads, IMDBArchive.File)
		return []string{file}, File(ctx, r.URL, file, cmp.Or(r.Checksum, IMDBArchive.Sum), r.Options)
	}, func(files []string) (err error) {
		added, err = folder.AddExpected(ctx, dir, files[0], "imdb", "", r.Open)
		return err
	})
	return added, err
}

// GloVe fetches the vectors of one of folder.GloveDims and installs them.
func GloVe(ctx context.Context, dir string, dim int, r Request) (added folder.Added, err error) {
	r.URL, r.Options.Limit = cmp.Or(r.URL, GloVeArchive.URL), cmp.Or(r.Options.Limit, 2<<30)
	name := folder.GloveName(dim)
	err = install(ctx, dir, name, r.URL, func(downloads string) ([]string, error) {
		file, err := Member(ctx, r.URL, fmt.Sprintf("glove.6B.%dd.txt", dim), downloads, r.Options)
		return []string{file}, err
	}, func(files []string) (err error) {
		added, err = folder.AddExpected(ctx, dir, files[0], name, cmp.Or(string(r.Checksum), dataset.Published(name)), r.Open)
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
		err = fmt.Errorf("%s: %w; the download was removed: fetch again, or from another address with --url", url, err)
	}
	for _, file := range files {
		err = errors.Join(err, fsx.RemoveFile(file))
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
	items, err1 := folder.Installed(dir)
	_, err2 := folder.Records(dir) // without them the download could not be recorded
	if err := cmp.Or(err1, err2); err != nil {
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

// The folders of the minimal pairs in their authors' repositories.
const (
	rewritings = "https://raw.githubusercontent.com/acmi-lab/counterfactually-augmented-data/HEAD/sentiment/combined/paired/"
	contrasts  = "https://raw.githubusercontent.com/allenai/contrast-sets/e44faab7e5f77c5529c93fbc341ef208cfdbd541/IMDb/data/"
)

// MinimalFiles are the minimal pairs of reviews of IMDB, 5.6 MB: rewritings of 2 440 (Kaushik, Hovy
// and Lipton 2020) and contrast sets of 588 (Gardner et al. 2020). The sets of a probe are called
// after files, so files of equal names have other ones here.
var MinimalFiles = []Archive{
	published(rewritings, "cad_dev_paired.tsv", "4c2d8a70cbce23eba27fb1f0bb5043cf044811912435cf8d10c3ea6fc7a51363"),
	published(rewritings, "cad_test_paired.tsv", "9534b20850205c59015b313983cae7afb31c54c04ffcbd19cea7f1bce5011275"),
	published(rewritings, "cad_train_paired.tsv", "7ac50ca3d70890f80e11ee59955cdbfc43f26b5078d0603717817ab224d2af18"),
	published(contrasts, "cs_dev_original.tsv", "349a8821bb8932d7ad236e4a6d3ed01fd9b99fdae1c7c6a1a9f3d442de4a4304"),
	published(contrasts, "cs_dev_contrast.tsv", "ec5c984b43c045613dc00c4fd044f362e78351eef82bf07e4429583decaa0e92"),
	published(contrasts, "cs_test_original.tsv", "9dc78ddeb5cb6ff6060d24df33a83b6d29f9828994f4b1a5e0086f7e774713bd"),
	published(contrasts, "cs_test_contrast.tsv", "3bcb3bd41218b6a5d7bef7fe020a243919f3df0f12f55291b25ef8bbdbe04173"),
}

func published(in, file, sum string) Archive {
	_, name, _ := strings.Cut(file, "_")
	return Archive{file, in + name, Checksum(sum)}
}

// Minimal fetches files of minimal pairs and installs them as one probe. r.URL is the address of a
// folder that has them under their names here; "" is their authors' addresses.
func Minimal(ctx context.Context, dir string, files []Archive, r Request) (added folder.ProbeAdded, err error) {
	err = install(ctx, dir, MinimalName, cmp.Or(r.URL, files[0].URL), func(downloads string) (paths []string, err error) {
		for _, f := range files {
			if r.URL != "" {
				f.URL = strings.TrimRight(r.URL, "/") + "/" + f.File
			}
			path := filepath.Join(downloads, f.File)
			if err := File(ctx, f.URL, path, f.Sum, r.Options); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
		return paths, nil
	}, func(paths []string) (err error) {
		added, err = folder.AddProbe(ctx, dir, probe.Files{Name: MinimalName, Files: paths}, r.Open)
		return err
	})
	return added, err
}
