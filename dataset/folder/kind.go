package folder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset/phrases"
)

// Kind is a kind of data.
type Kind string

// Kinds of data.
const (
	CorpusKind  Kind = "corpus" // labelled reviews
	PairsKind   Kind = "pairs"  // sentences and their translations
	ProbeKind   Kind = "probe"  // minimal pairs, which test a model and are not trained on
	VectorsKind Kind = "vectors"
)

// KindError is the error for a data set of the wrong kind.
type KindError struct {
	Name    string
	Kind    Kind // of the data set
	Wanted  Kind
	Choices []string // data sets of the right kind
}

func (e *KindError) Error() string {
	if len(e.Choices) == 0 {
		e.Choices = []string{"none is installed"}
	}
	name := e.Name
	if e.Wanted != ProbeKind {
		name = "data=" + name
	}
	return fmt.Sprintf("%s has %s, but %s are needed: choose %s, or add your own: exp data add %s",
		name, contents[e.Kind], contents[e.Wanted], strings.Join(e.Choices, ", "), addArgs(e.Wanted))
}

var contents = map[Kind]string{CorpusKind: "labelled reviews", PairsKind: "sentence pairs", ProbeKind: "minimal pairs to test on"}

// addArgs returns the arguments of exp data add for data of a kind.
func addArgs(kind Kind) string {
	switch kind {
	case PairsKind:
		return "FILE.tsv --pairs --name NAME"
	case ProbeKind:
		return "FILE.tsv --probe --name NAME"
	}
	return "FILE --name NAME"
}

// KindOf returns the kind of the data set of that name, CorpusKind or PairsKind. The error
// is a *NotInstalledError if there is none.
func KindOf(dir, name string) (Kind, error) {
	if i := slices.IndexFunc(reserved, named(name)); i >= 0 {
		return reserved[i].Kind, nil
	}
	i, err := findOwn(dir, name, "")
	return i.Kind, err
}

// reserved are the data sets that are not the user's, installed or not.
var reserved = []Item{{Kind: CorpusKind, Name: "sample"}, {Kind: CorpusKind, Name: "imdb"}, {Kind: PairsKind, Name: phrases.Name}}

func named(name string) func(Item) bool { return func(i Item) bool { return i.Name == name } }

// findCorpus returns the path of an installed corpus.
func findCorpus(dir, name string) (string, error) {
	if name == "imdb" {
		path, _, ok := find(dir, imdbFiles...)
		if !ok {
			return "", imdbMissing(dir)
		}
		return path, nil
	}
	own, err := findOwn(dir, name, CorpusKind)
	return own.Path, err
}

// findOwn finds the user's data of a kind, "" for any.
func findOwn(dir, name string, want Kind) (Item, error) {
	own, err := installedOwn(dir)
	if err != nil {
		return Item{}, err
	}
	own = append(own, reserved...)
	i := slices.IndexFunc(own, named(name))
	switch {
	case i < 0:
		setting := "data=" + name
		if want == ProbeKind {
			setting = name
		}
		e := &NotInstalledError{Setting: setting, Dir: dir, Known: dataNames(dir, want)}
		e.Remedy = "Installed: " + cmp.Or(strings.Join(e.Known, ", "), "none") + ". Own data: exp data add " + addArgs(want)
		if items, err := Installed(dir); err == nil && slices.ContainsFunc(items, func(i Item) bool { return i.Kind == VectorsKind && i.Name == name }) {
			e.Remedy = name + " are word vectors, vectors=" + name + ". " + e.Remedy
		}
		return Item{}, e
	case want != "" && own[i].Kind != want:
		return Item{}, &KindError{name, own[i].Kind, want, dataNames(dir, want)}
	}
	return own[i], nil
}

// dataNames lists the data sets of a kind, "" for all.
func dataNames(dir string, kind Kind) (names []string) {
	items, _ := Installed(dir)
	items = slices.Concat([]Item{{Kind: CorpusKind, Name: "sample"}}, items, []Item{{Kind: PairsKind, Name: phrases.Name}})
	for _, i := range items {
		if i.Kind == kind || kind == "" && (i.Kind == CorpusKind || i.Kind == PairsKind) {
			names = append(names, i.Name)
		}
	}
	return names
}
