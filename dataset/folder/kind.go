package folder

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/phrases"
)

// Kind is what a file holds.
type Kind string

// Kinds of data.
const (
	CorpusKind  Kind = "corpus" // labelled reviews
	PairsKind   Kind = "pairs"  // sentences and their translations
	VectorsKind Kind = "vectors"
)

// KindError says that a data set holds something else than what is asked of it.
type KindError struct {
	Name    string
	Kind    Kind     // what it holds
	Choices []string // data sets that hold what is asked for
}

func (e *KindError) Error() string {
	has, wants, wanted := "labelled reviews", "sentence pairs", PairsKind
	if e.Kind == PairsKind {
		has, wants, wanted = wants, has, CorpusKind
	}
	return fmt.Sprintf("data=%s holds %s, and here %s are needed: choose %s, or add your own by exp data add %s",
		e.Name, has, wants, strings.Join(e.Choices, ", "), addArgs(wanted))
}

// addArgs is what exp data add takes for data of a kind.
func addArgs(kind Kind) string {
	if kind == PairsKind {
		return "FILE.tsv --pairs --name NAME"
	}
	return "FILE --name NAME"
}

// KindOf returns what a data set holds, CorpusKind or PairsKind, by the name that
// settings call it. It is a *NotInstalledError if there is none.
func KindOf(dir, name string) (Kind, error) {
	if i := slices.IndexFunc(reserved, named(name)); i >= 0 {
		return reserved[i].Kind, nil
	}
	i, err := FindOwn(dir, name, "")
	return i.Kind, err
}

// reserved are the data sets that are not a user's own, installed or not.
var reserved = []Item{{Kind: CorpusKind, Name: "sample"}, {Kind: CorpusKind, Name: "imdb"}, {Kind: PairsKind, Name: phrases.Name}}

func named(name string) func(Item) bool { return func(i Item) bool { return i.Name == name } }

// FindCorpus returns where an installed corpus lies.
func FindCorpus(dir, name string) (string, error) {
	if name == "imdb" {
		path, _, ok := find(dir, IMDBFiles...)
		if !ok {
			return "", imdbMissing(dir)
		}
		return path, nil
	}
	own, err := FindOwn(dir, name, CorpusKind)
	return own.Path, err
}

// FindOwn finds own data of a kind, "" for any.
func FindOwn(dir, name string, want Kind) (Item, error) {
	own, err := installedOwn(dir)
	if err != nil {
		return Item{}, err
	}
	own = append(own, reserved...)
	i := slices.IndexFunc(own, named(name))
	switch {
	case i < 0:
		e := &NotInstalledError{Setting: "data=" + name, Dir: dir, Known: dataNames(dir, want)}
		e.Remedy = "Installed: " + strings.Join(e.Known, ", ") + ". Own data: exp data add " + addArgs(want)
		if items, err := Installed(dir); err == nil && slices.ContainsFunc(items, func(i Item) bool { return i.Kind == VectorsKind && i.Name == name }) {
			e.Remedy = name + " are word vectors, vectors=" + name + ". " + e.Remedy
		}
		return Item{}, e
	case want != "" && own[i].Kind != want:
		return Item{}, &KindError{name, own[i].Kind, dataNames(dir, want)}
	}
	return own[i], nil
}

// dataNames lists the data sets of a kind, "" for all.
func dataNames(dir string, kind Kind) (names []string) {
	items, _ := Installed(dir)
	items = slices.Concat([]Item{{Kind: CorpusKind, Name: "sample"}}, items, []Item{{Kind: PairsKind, Name: phrases.Name}})
	for _, i := range items {
		if i.Kind == kind || kind == "" && i.Kind != VectorsKind {
			names = append(names, i.Name)
		}
	}
	return names
}
