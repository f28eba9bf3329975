package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/report/compare"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// slicing are the names that --slice takes, besides regular expressions.
var slicing = []string{"length", "negation", "unknown"}

// checkSlice refuses an unknown slice. It returns the expression of /REGEXP/, nil for a name.
func checkSlice(by string) (*regexp.Regexp, error) {
	if len(by) > 2 && by[0] == '/' && by[len(by)-1] == '/' {
		r, err := regexp.Compile(by[1 : len(by)-1])
		if err != nil {
			return nil, fmt.Errorf("--slice %s: %w", by, err)
		}
		return r, nil
	}
	if !slices.Contains(slicing, by) {
		return nil, fmt.Errorf("--slice %s: use %s, or a regular expression such as '/(?i)sequel/'", by, strings.Join(slicing, ", "))
	}
	return nil, nil
}

// printSlices prints the accuracy of each setting by slices of the reviews, one table for each
// --slice and data set.
func printSlices(ctx context.Context, a *cli.App, list []*runs.Run, o options) error {
	c := &comparing{App: a, ref: o.against}
	if err := c.read(list); err != nil {
		return fmt.Errorf("--slice: %w", err)
	}
	var found []*compare.Slices
	for _, d := range c.sets {
		if err := compare.OneTestSet(d.sides...); err != nil {
			c.omitted = append(c.omitted, err)
			continue
		}
		r := &reviewsOf{App: a, run: d.groups[0][0]}
		for _, by := range o.slices {
			parts, err := r.slices(ctx, by)
			if err != nil {
				return err
			}
			table, err := compare.BySlice(by, parts, d.sides, o.against != "")
			if err != nil {
				return err
			}
			found = append(found, table)
		}
	}
	if len(found) == 0 {
		return errors.Join(c.omitted...)
	}
	c.complain("--slice")
	return cli.Print(a.IO, o.format, found...)
}

// reviewsOf are the test reviews of a run's data.
type reviewsOf struct {
	*cli.App
	run    *runs.Run
	corpus *dataset.Corpus // nil until it is needed
}

// mostSlices is the max number of slices by a number of words.
const mostSlices = 5

// negations are the words that --slice negation counts, as the tokenizers split them.
var negations = []string{"not", "n't", "no", "never", "nor", "neither", "none", "nobody", "nothing", "nowhere", "without", "cannot", "hardly", "barely"}

// slices cuts the reviews.
func (r *reviewsOf) slices(ctx context.Context, by string) ([]compare.Slice, error) {
	expression, err := checkSlice(by)
	if err != nil {
		return nil, err
	}
	dir, err := r.Installed()
	if err != nil {
		return nil, err
	}
	if expression != nil {
		return r.matching(ctx, dir, expression)
	}
	config := &r.run.Config
	if r.corpus == nil {
		o, stop := progress.Reading(r.IO, r.Warn)
		o.Tokenizer, o.TestSeed = config.General().Tokenizer(), config.General().TestSeed
		r.corpus, err = folder.Corpus(ctx, dir, config.Data.Name, o)
		stop()
		if err != nil {
			return nil, err
		}
		if have := config.Digests["data"]; r.corpus.Digest != have {
			return nil, fmt.Errorf("--slice: %s has changed since the runs: its digest is %.12s, theirs %.12s", config.Data.Name, r.corpus.Digest, have)
		}
	}
	counts := make([]bool, len(r.corpus.Vocab.Words)) // words
	for id, word := range r.corpus.Vocab.Words {
		counts[id] = by != "negation" || slices.Contains(negations, word)
	}
	if by == "unknown" {
		for _, id := range r.corpus.Train.IDs {
			counts[id] = false
		}
	}
	return numbered(&r.corpus.Test, counts), nil
}

// numbered cuts reviews into parts of about equal size by how many of their words are in counts.
func numbered(test *dataset.Split, counts []bool) (out []compare.Slice) {
	order, n := make([]int, test.Len()), make([]int, test.Len())
	for b := range order {
		order[b] = b
		for _, id := range test.Words(b) {
			if counts[id] {
				n[b]++
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(n[i], n[j]) })
	stats.EqualParts(len(order), mostSlices, func(i, j int) bool { return n[order[i]] == n[order[j]] }, func(from, to int) {
		low, high := n[order[from]], n[order[to-1]]
		s := compare.Slice{Name: fmt.Sprintf("%d–%d words", low, high), Reviews: map[string]bool{}}
		if low == high {
			s.Name = format.Counted(low, "word")
		}
		for _, b := range order[from:to] {
			s.Reviews[test.Names[b]] = true
		}
		out = append(out, s)
	})
	return out
}

// matching cuts reviews into those whose text an expression matches, and the others.
func (r *reviewsOf) matching(ctx context.Context, dir string, expression *regexp.Regexp) ([]compare.Slice, error) {
	source, err := folder.Source(dir, r.run.Config.Data.Name, folder.Options{})
	if err != nil {
		return nil, err
	}
	out := []compare.Slice{{Name: "matches", Reviews: map[string]bool{}}, {Name: "does not match", Reviews: map[string]bool{}}}
	err = source.Reviews(ctx, func(p dataset.Part, review dataset.Review) error {
		if p == dataset.Test {
			i := 1
			if expression.MatchString(review.Text) {
				i = 0
			}
			out[i].Reviews[review.ID] = true
		}
		return nil
	})
	return out, err
}
