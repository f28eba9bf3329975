// Package scores answers: how much does each word of a text count for what a model says?
// One way to put a number to that a file; tests of package battery compare them.
package scores

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/settings"
)

// Text is a text that a model has answered.
type Text struct {
	infer.Encoded
	Class  int // what the scores are about, such as the one predicted
	Number int // of the text among all: chance draws by it
}

// Score is one way to say how much each word counts.
type Score struct {
	Name   string // on command lines
	Title  string // in tables and figures
	Signed bool   // above 0 a word speaks for the class, below 0 against it
	Source string
	Says   string // what it is, in a sentence
	Slow   string // why it is left out unless it is asked for; "" for others

	Repeats string // why it takes many passes a text; "" for others

	lacks func(m *infer.Model) string // why a model has none; "" where it has
	of    func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error)
}

// Lacks says why a model has no such score, "" where it has.
func (s *Score) Lacks(m *infer.Model) string {
	if s.lacks == nil {
		return ""
	}
	return s.lacks(m)
}

// Names of scores that others ask for.
const (
	Attention  = "attention"
	Gradient   = "gradient"
	Norm       = "gradnorm"
	Integrated = "integrated"
	Random     = "random"
)

// all are the scores in the order in which people see them; random, the floor, is last.
var all = []*Score{&attention, &gradient, &norm, &integrated, &leaveOut, &occlusion, &rollout, &flow, &weighted, &random}

// All returns the scores in the order in which people see them; chance is last.
func All() []*Score { return all }

// Names returns their names.
func Names() []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// Lookup returns the score of that name.
func Lookup(name string) (*Score, error) {
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("unknown score %q%s: use %s", name, settings.Nearest(name, Names()), strings.Join(Names(), ", "))
}

// Size returns |s| of each number.
func Size(list []float32) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = max(v, -v)
	}
	return out
}

// Falling returns the places of numbers, largest first, the earlier of equals first.
func Falling(list []float32) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b], list[a]) })
	return order
}
