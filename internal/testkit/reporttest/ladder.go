package reporttest

import (
	"fmt"
	"strings"
	"testing"

	"imdbexp/internal/testkit/must"
	"imdbexp/report/compare"
)

// answers makes a file of predictions for reviews r0, r1, …, labelled pos and neg
// in turns: "+" is right, "-" wrong, "?" right but unlabelled, "." not there.
func answers(t *testing.T, name, pattern string) *compare.Answers {
	t.Helper()
	var b strings.Builder
	b.WriteString("review\tlabel\tpredicted\n")
	classes := []string{"pos", "neg"}
	for i, c := range pattern {
		label, other := classes[i%2], classes[(i+1)%2]
		switch c {
		case '+':
			fmt.Fprintf(&b, "r%d\t%s\t%s\n", i, label, label)
		case '-':
			fmt.Fprintf(&b, "r%d\t%s\t%s\n", i, label, other)
		case '?':
			fmt.Fprintf(&b, "r%d\t\t%s\n", i, label)
		}
	}
	return must.Get(compare.ParseAnswers(name, []byte(b.String())))(t)
}

// Side is one side of a comparison, a seed for each pattern; see answers.
func Side(t *testing.T, name string, patterns ...string) compare.Side {
	s := compare.Side{Name: name}
	for i, p := range patterns {
		a := answers(t, name, p)
		a.Seed = uint64(i + 1)
		s.Answers = append(s.Answers, a)
	}
	return s
}

func slip(settings ...string) compare.Slip { return compare.Slip{Settings: settings} }

// Right returns patterns of n reviews with the given number of hits, for three seeds.
func Right(n, hits int) []string {
	one := strings.Repeat("+", hits) + strings.Repeat("-", n-hits)
	two := strings.Repeat("+", hits-1) + strings.Repeat("-", n-hits+1)
	return []string{one, two, one}
}

// Plan returns a ladder of three slips. One of them was not run alone.
func Plan(t *testing.T) compare.LadderPlan {
	a, b, c := slip("slip.a=true"), slip("lambda=0.1", "slip.b=true"), slip("slip.c=true")
	return compare.LadderPlan{
		Title: "made up",
		Slips: []compare.Slip{a, b, c, {Settings: []string{"slip.d=true"}, Inert: "it is shown only"}},
		States: []compare.State{
			{Side: Side(t, "original", Right(500, 300)...)},
			{Out: []compare.Slip{a}, Side: Side(t, "without a", Right(500, 400)...)},
			{Out: []compare.Slip{b}},
			{Out: []compare.Slip{c}, Side: Side(t, "default", Right(500, 420)...)},
		},
		Single: []compare.State{
			{Out: []compare.Slip{b}, Side: Side(t, "b", Right(500, 420)...)},
			{Out: []compare.Slip{a}, Side: Side(t, "a", Right(500, 350)...)},
			{Out: []compare.Slip{c}},
		},
		Bases: []compare.Side{Side(t, "default", Right(500, 420)...), Side(t, "default", Right(500, 420)...), Side(t, "default", Right(500, 420)...)},
		Train: []string{"exp run made-up slip.c=true seed=1..3"},
	}
}
