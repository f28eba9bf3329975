// Package scores computes how much each word of a text counts for a model's prediction.
// The tests of package battery compare these scores.
package scores

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/settings"
)

// Text is a text to compute scores for.
type Text struct {
	infer.Encoded
	Class  int // that the scores explain, such as the predicted one
	Number int // of the text; random scores depend on it
}

// Names returns the words of the text.
func (t *Text) Names() []string { return infer.Texts(t.Words) }

// Score is one way to measure how much each word counts.
type Score struct {
	Name       string // on command lines
	Title      string // in tables and figures
	Signed     bool   // positive: the word speaks for the class; negative: against it
	Source     string
	Definition string // in a sentence
	Slow       string // why it is not computed by default; "" if it is

	Repeats string // why it takes many passes per text; "" for others

	lacks   func(m *infer.Model) string // why a model does not have it; nil: every model has it
	compute func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error)
}

// Lacks says why a model does not have the score; "" if it does.
func (s *Score) Lacks(m *infer.Model) string {
	if s.lacks == nil {
		return ""
	}
	return s.lacks(m)
}

// Names of scores that other packages use.
const (
	Attention = "attention"
	Gradient  = "gradient"
	Norm      = "gradnorm"

	GradientConstant = "gradconst"

	Integrated = "integrated"
	LeaveOut   = "leaveout"
	Rollout    = "rollout"
	LIME       = "lime"
	SHAP       = "shap"
	Random     = "random"
)

// all lists the scores in display order; random is last.
var all = []*Score{&attention, &gradient, &gradientConstant, &norm, &integrated, &leaveOut, &occlusion, &lime, &shap, &rollout, &flow, &weighted, &random}

// All returns the scores in display order; random is last.
func All() []*Score { return all }

// Names returns the names of all scores.
func Names() []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// Named returns the score with the given name; nil for none.
func Named(name string) *Score {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Lookup is Named for a name that a user has typed.
func Lookup(name string) (*Score, error) {
	if s := Named(name); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("unknown score %q%s: use %s", name, settings.Nearest(name, Names()), strings.Join(Names(), ", "))
}
