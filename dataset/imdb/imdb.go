// Package imdb reads the Large Movie Review Dataset (Maas et al. 2011), from its archive
// or its folder.
package imdb

import (
	"fmt"
	"os"
	"path"
	"strings"

	"imdbexp/dataset"
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
func Open(path, shown string, limits dataset.Limits, progress dataset.Progress) (dataset.Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return folder{path, limits}, nil
	}
	return archive{path, shown, limits, progress}, nil
}

// IsReview reports whether an entry of an archive is a review.
func IsReview(name string) bool {
	_, _, _, ok, err := reviewName(path.Clean(name))
	return ok && err == nil
}

// reviewName finds the folder of a review by its path inside the archive, such as
// aclImdb/train/pos/0_9.txt, and its ID, train/pos/0_9. root is what stands
// before: "aclImdb/" or "". A file outside those folders, or hidden in one, is
// not a review (ok false).
func reviewName(name string) (root string, folder part, id string, ok bool, err error) {
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	for _, f := range folders {
		root, found := strings.CutSuffix(dir, f.path)
		if !found || root != "" && !strings.HasSuffix(root, "/") {
			continue
		}
		if strings.HasPrefix(base, ".") {
			return "", f, "", false, nil // .DS_Store, ._0_9.txt
		}
		stem, found := strings.CutSuffix(base, ".txt")
		if !found || !numbers(stem) {
			return "", f, "", false, fmt.Errorf("not a review: the files of %s are called ID_RATING.txt, such as 0_9.txt", f.path)
		}
		return root, f, f.path + "/" + stem, true, nil
	}
	return "", part{}, "", false, nil
}

// numbers reports whether s is ID_RATING.
func numbers(s string) bool {
	id, rating, ok := strings.Cut(s, "_")
	if !ok || id == "" || rating == "" || len(s) > 40 {
		return false
	}
	return strings.Trim(id, "0123456789") == "" && strings.Trim(rating, "0123456789") == ""
}
