package plan

import (
	"fmt"
	"slices"

	"imdbexp/dataset/folder"
)

// Auto is the data set of data=auto.
type Auto struct {
	Data string // imdb or sample
	Why  string // the reason, and how to change it
}

// AutoData returns imdb if IMDB and GloVe vectors of 50 dimensions are installed, which the published
// runs used, and else sample.
func AutoData(dir string) (Auto, error) {
	items, err := folder.Installed(dir)
	if err != nil {
		return Auto{}, err
	}
	imdb := slices.ContainsFunc(items, func(i folder.Item) bool { return i.Kind == folder.CorpusKind && i.Name == "imdb" })
	glove := slices.ContainsFunc(items, func(i folder.Item) bool { return i.Kind == folder.VectorsKind && i.Name == "glove50" })
	switch {
	case imdb && glove:
		return Auto{"imdb", fmt.Sprintf("with GloVe, installed in %s", dir)}, nil
	case imdb:
		return Auto{"sample", "IMDB is installed, but not GloVe's vectors: exp data fetch glove, or exp data add glove.6B.zip; without them: data=imdb vectors=corpus"}, nil
	case glove:
		return Auto{"sample", "GloVe is installed, but not IMDB: exp data fetch imdb, or exp data add aclImdb_v1.tar.gz"}, nil
	}
	return Auto{"sample", "IMDB is not installed: exp data fetch, or exp data add aclImdb_v1.tar.gz glove.6B.zip"}, nil
}
