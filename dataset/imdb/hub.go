package imdb

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

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
