// Package imdb reads the Large Movie Review Dataset (Maas et al. 2011), from its archive
// or its folder.
package imdb

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/tables"
)

// classes are the labels of the Large Movie Review Dataset (Maas et al.
// 2011): 0 and 1.
var classes = []string{"neg", "pos"}

// part is one of the folders that hold its reviews, a file each.
type part struct {
	path  string
	part  dataset.Part
	label int
}

var folders = []part{
	{"train/neg", dataset.Train, 0},
	{"train/pos", dataset.Train, 1},
	{"test/neg", dataset.Test, 0},
	{"test/pos", dataset.Test, 1},
	{"train/unsup", dataset.Extra, dataset.Unlabelled},
}

// Open returns the reviews of the folder or archive at path, which messages call
// shown.
func Open(path, shown string, progress dataset.Progress) (dataset.Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &source{path: path, shown: shown, progress: progress, folder: info.IsDir()}, nil
}

// source is the aclImdb folder, or its archive, .tar.gz or .tar: the
// official aclImdb_v1.tar.gz as well as one packed from the folder by hand.
// Nothing is ever unpacked to disk.
type source struct {
	path     string
	shown    string // what messages call it
	progress dataset.Progress
	folder   bool
	yield    func(dataset.Part, dataset.Review) error // of Reviews
}

// String and Classes implement Source.
func (s *source) String() string  { return s.shown }
func (*source) Classes() []string { return classes }

// Reviews implements Source. It skips files that are not reviews, such as README. A review that
// is a link or a device is an error.
func (s *source) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	s.yield = yield
	if s.folder {
		return s.readFolder(ctx)
	}
	in, err := stream.Open(ctx, s.path, s.shown, dataset.DefaultLimits.TotalBytes, s.progress)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := s.readTar(ctx, in); err != nil {
		return err
	}
	// The end of the compressed stream has the checksum.
	if _, err := io.Copy(io.Discard, in); err != nil {
		return stream.Damaged(s.shown, "its end", err)
	}
	return nil
}

// IsReview reports whether an entry of an archive is a review.
func IsReview(name string) bool {
	_, _, ok := reviewName(path.Clean(name))
	return ok
}

// reviewName finds the folder of a review by its path, such as aclImdb/train/pos/0_9.txt, and its ID,
// train/pos/0_9. Any other file is not a review.
func reviewName(name string) (folder part, id string, ok bool) {
	m := reviewFile.FindStringSubmatch(name)
	if m == nil {
		return part{}, "", false
	}
	return folders[slices.IndexFunc(folders, func(f part) bool { return f.path == m[2] })], m[1], true
}

var reviewFile = regexp.MustCompile(`(?:^|/)((train/neg|train/pos|test/neg|test/pos|train/unsup)/[0-9]{1,9}_[0-9]{1,9})\.txt$`)

// entry takes a file of a name below the data set, if it is a review. where names it in messages.
func (s *source) entry(ctx context.Context, name, where string, regular bool, in io.Reader) error {
	folder, id, ok := reviewName(name)
	switch {
	case ctx.Err() != nil || !ok:
		return ctx.Err()
	case !regular:
		return fmt.Errorf("%s: is not a regular file; a data set holds its reviews in regular files", where)
	}
	text, err := io.ReadAll(io.LimitReader(in, dataset.DefaultLimits.ReviewBytes+1))
	if err != nil {
		return stream.Damaged(s.shown, name, err)
	}
	if limit := dataset.DefaultLimits.ReviewBytes; int64(len(text)) > limit {
		return fmt.Errorf("%s: %w", where, stream.TooLong(limit))
	}
	if err := stream.CheckText(where, string(text)); err != nil {
		return err
	}
	return s.yield(folder.part, dataset.Review{ID: id, Text: string(text), Label: folder.label})
}

func (s *source) readTar(ctx context.Context, in io.Reader) error {
	return stream.EachInTar(s.shown, in, func(h *tar.Header, text io.Reader) error {
		return s.entry(ctx, path.Clean(h.Name), s.shown+": entry "+stream.Quote(h.Name), h.Typeflag == tar.TypeReg, text)
	})
}

// readFolder opens files through an os.Root: a link that points out of the folder is an error.
func (s *source) readFolder(ctx context.Context) error {
	root, err := os.OpenRoot(s.path)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !IsReview(name) {
			return err
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return s.entry(ctx, name, s.path+"/"+name, e.Type().IsRegular(), f)
	})
}

// Pack writes the reviews of a folder as the archive that Open reads,
// the same bytes for the same reviews.
func Pack(ctx context.Context, src dataset.Source, out io.Writer) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "aclImdb/" + r.ID + ".txt", Mode: 0o644, Size: int64(len(r.Text))}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.WriteString(t, r.Text)
		return err
	})
	if err == nil {
		err = errors.Join(t.Close(), z.Close())
	}
	return err
}

// Hub is IMDB as the Hugging Face hub has it (stanfordnlp/imdb): a Parquet file each for train, test
// and the unlabelled reviews, with text and label, without the names of the reviews. The texts decide which
// file is which part and which name a review has, so neither the names of the files nor their order matters.
type Hub struct{ files []hubFile }

type hubFile struct {
	path  string
	names []string // by row
}

// hubParts are the parts that have a file each.
var hubParts = []struct {
	name    string
	folders []part
	reviews int
}{{"train", folders[0:2], 25_000}, {"test", folders[2:4], 25_000}, {"unsupervised", folders[4:5], 50_000}}

// hubNames has a digest of the texts of each part, see textsDigest, and then for each folder a
// little-endian number of 16 bits for each review, in the order of the SHA-256 of the texts: for labelled
// reviews 4·ID + RATING, minus 1 for neg and 7 for pos; for the others ID. TestHubData makes the file.
//
//go:embed hub.bin
var hubNames []byte

// HubFiles returns the Parquet files that a path means: itself, or all in a folder.
func HubFiles(path string) (files []string) {
	_ = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error { // an error comes again
		if err == nil && !e.IsDir() && strings.EqualFold(filepath.Ext(name), ".parquet") {
			files = append(files, name)
		}
		return nil
	})
	if _, err := os.Stat(filepath.Join(path, "train", "pos")); err == nil {
		return nil // the unpacked archive
	}
	return files
}

// OpenHub recognises the files by their texts and fails unless they are the three of IMDB.
func OpenHub(ctx context.Context, files []string, progress dataset.Progress) (*Hub, error) {
	h := &Hub{files: make([]hubFile, len(hubParts))}
	for _, file := range files {
		var texts []hubText
		err := readHub(ctx, file, progress, func(label int, text string) error {
			texts = append(texts, hubText{label, len(texts), sha256.Sum256([]byte(text))})
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(texts, compareTexts)
		i, at := 0, hubNames[len(hubParts)*sha256.Size:]
		for digest := textsDigest(texts); i < len(hubParts) && !bytes.Equal(digest, hubNames[i*sha256.Size:][:sha256.Size]); i++ {
			at = at[2*hubParts[i].reviews:]
		}
		switch {
		case i == len(hubParts):
			return nil, fmt.Errorf("%s: its %d texts are not those of IMDB's train, test or unsupervised file: damaged, changed, or other data. Your own reviews need a name: --name NAME", file, len(texts))
		case h.files[i].path != "":
			return nil, fmt.Errorf("%s and %s have the same reviews: name each file once", h.files[i].path, file)
		}
		h.files[i] = hubFile{file, hubNamesOf(hubParts[i].folders, at, texts)}
	}
	for i, f := range h.files {
		if f.path == "" {
			return nil, fmt.Errorf("IMDB's Parquet file %s is missing: name the files train, test and unsupervised, or their folder", hubParts[i].name)
		}
	}
	return h, nil
}

// hubText is a review without its text.
type hubText struct {
	label, row int
	sum        [sha256.Size]byte
}

func compareTexts(a, b hubText) int {
	if a.label != b.label {
		return a.label - b.label
	}
	return bytes.Compare(a.sum[:], b.sum[:])
}

// textsDigest returns the SHA-256 of the labels and digests of sorted texts.
func textsDigest(texts []hubText) []byte {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte{byte(t.label)})
		h.Write(t.sum[:])
	}
	return h.Sum(nil)
}

// hubNamesOf returns the names of sorted texts, by row.
func hubNamesOf(folders []part, numbers []byte, texts []hubText) []string {
	names := make([]string, len(texts))
	for i, t := range texts {
		f, n := folders[i*len(folders)/len(texts)], int(binary.LittleEndian.Uint16(numbers[2*i:]))
		if f.label == dataset.Unlabelled {
			names[t.row] = fmt.Sprintf("%s/%d_0", f.path, n)
		} else {
			names[t.row] = fmt.Sprintf("%s/%d_%d", f.path, n/4, n%4+1+6*f.label)
		}
	}
	return names
}

// readHub reads the rows of a file. Labels are names of classes or numbers, -1 or none for no class.
func readHub(ctx context.Context, file string, progress dataset.Progress, yield func(label int, text string) error) error {
	labels := map[string]int{"neg": 0, "pos": 1, "0": 0, "1": 1, "-1": dataset.Unlabelled, "": dataset.Unlabelled}
	o := tables.Options{Asked: true, KeepEntities: true, Format: tables.Parquet, Progress: progress}
	_, err := tables.Read(ctx, file, o, func(r tables.Record) error {
		label, ok := labels[r.Label]
		if !ok {
			return fmt.Errorf("%s: the label %q is none of IMDB's. Your own reviews need a name: --name NAME", r.Where, r.Label)
		}
		return yield(label, r.Text)
	})
	return err
}

// String and Classes implement Source.
func (h *Hub) String() string  { return h.files[0].path }
func (*Hub) Classes() []string { return classes }

// Reviews implements Source.
func (h *Hub) Reviews(ctx context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i, f := range h.files {
		row := 0
		err := readHub(ctx, f.path, nil, func(label int, text string) error {
			row++
			return yield(hubParts[i].folders[0].part, dataset.Review{ID: f.names[row-1], Text: text, Label: label})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
