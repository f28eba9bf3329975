package sample

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// grammar is what grammar.yaml holds; its comments explain it.
type grammar struct {
	Intros, Plots, Fillers []string
	Opinions               []struct {
		Percent   int
		Templates []string
	}
	Genres                  []genre
	Bright, Dark            []string
	Intensifiers, Negations []string
	Words                   map[string][]string `yaml:",inline"` // by slot
}

// genre is one kind of film, and the one side of it that decides whether a film of that kind is
// any good.
type genre struct {
	Nouns     []noun
	Good, Bad []string
	Words     map[string][]string `yaml:",inline"` // of what happens, by slot; then those of all kinds
}

type noun struct{ Word, Kind string }

//go:embed grammar.yaml
var source []byte

var load = sync.OnceValue(func() *grammar {
	g := new(grammar)
	if err := yaml.Unmarshal(source, g); err != nil {
		panic(err) // not reached: tests read the embedded file
	}
	for i := range g.Genres {
		own := maps.Clone(g.Words)
		for slot, words := range g.Genres[i].Words {
			own[slot] = slices.Concat(words, g.Words[slot])
		}
		g.Genres[i].Words = own
	}
	return g
})

// opinions returns the words for a polarity of +1 or −1.
func (g *genre) opinions(sign int) []string {
	if sign > 0 {
		return g.Good
	}
	return g.Bad
}

func (n noun) is() string {
	if n.Kind == "plural" {
		return "are"
	}
	return "is"
}
