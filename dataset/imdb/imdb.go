package dataset

import (
	"fmt"
	"path"
	"strings"
)

// imdbClasses are the labels of the Large Movie Review Dataset (Maas et al.
// 2011): 0 and 1.
var imdbClasses = []string{"neg", "pos"}

// imdbFolder is one of the folders that hold its reviews, a file each.
type imdbFolder struct {
	path  string
	part  Part
	label int
}

var imdbFolders = []imdbFolder{
	{"train/neg", Train, 0},
	{"train/pos", Train, 1},
	{"test/neg", Test, 0},
	{"test/pos", Test, 1},
	{"train/unsup", Extra, Unlabelled},
}

// imdbName finds the folder of a review by its path inside the archive, such as
// aclImdb/train/pos/0_9.txt, and its ID, train/pos/0_9. root is what stands
// before: "aclImdb/" or "". A file outside those folders, or hidden in one, is
// not a review (ok false).
func imdbName(name string) (root string, folder imdbFolder, id string, ok bool, err error) {
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	for _, f := range imdbFolders {
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
	return "", imdbFolder{}, "", false, nil
}

// numbers reports whether s is ID_RATING.
func numbers(s string) bool {
	id, rating, ok := strings.Cut(s, "_")
	if !ok || id == "" || rating == "" || len(s) > 40 {
		return false
	}
	return strings.Trim(id, "0123456789") == "" && strings.Trim(rating, "0123456789") == ""
}
