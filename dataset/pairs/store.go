package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The form in which own sentence pairs lie in the data folder: lines of JSON,
// compressed by gzip. The first line is a pairsHeader, each other one a pairLine,
// those of train first.
const (
	pairsSuffix = ".pairs.jsonl.gz"
	pairsFormat = 1
)

// pairsHeader is the first line.
type pairsHeader struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   [2]int   `json:"pairs"`   // in train and test
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// pairLine is a pair.
type pairLine struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Target string `json:"target"`
}

// Limits of sentence pairs, which are kept in memory whole: of one side, of all
// sides together, and of the number of pairs.
const (
	maxSideBytes  = 64 << 10
	maxPairsBytes = 1 << 30
	maxPairs      = 5_000_000
)

// writePairs writes pairs into a file.
func writePairs(to, name string, sources []string, train, test []Pair) error {
	header := pairsHeader{pairsFormat, name, [2]int{len(train), len(test)}, sources}
	return writeLines(to, header, func(e *json.Encoder) error {
		for _, split := range [][]Pair{train, test} {
			for _, p := range split {
				if err := e.Encode(pairLine(p)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readPairs reads what writePairs has written. shown is what messages call the file.
func readPairs(ctx context.Context, path, shown string, progress Progress) (train, test []Pair, err error) {
	in, err := openStream(ctx, path, shown, 2*maxPairsBytes, progress)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	// JSON takes up to six bytes for one of the text.
	l := lines{in: bufio.NewReaderSize(in, 1<<16), limit: 12*maxSideBytes + 4096}
	damaged := func(err error) error { return damagedLine(shown, l.n, err) }
	var h pairsHeader
	if err := l.decode(&h); err != nil {
		return nil, nil, damaged(err)
	}
	switch {
	case h.Format > pairsFormat:
		return nil, nil, newerFormat(shown, h.Format, pairsFormat)
	case h.Format < 1 || min(h.Pairs[Train], h.Pairs[Test]) < 1 || max(h.Pairs[Train], h.Pairs[Test]) > maxPairs:
		return nil, nil, damaged(errors.New("this is no header"))
	}
	var all []Pair
	for {
		var p pairLine
		err := l.decode(&p)
		if err == io.EOF {
			break
		}
		if err == nil && (p.ID == "" || p.Source == "" || p.Target == "") {
			err = errors.New("a name or a side is missing")
		}
		if err != nil {
			return nil, nil, damaged(err)
		}
		where := fmt.Sprintf("%s: line %d", shown, l.n)
		if err := errors.Join(checkText(where, p.Source), checkText(where, p.Target)); err != nil {
			return nil, nil, err
		}
		all = append(all, Pair(p))
	}
	if want := h.Pairs[Train] + h.Pairs[Test]; len(all) != want {
		return nil, nil, fmt.Errorf("%s: has %d pairs instead of %d: the file is not whole, add the data again", shown, len(all), want)
	}
	return all[:h.Pairs[Train]:h.Pairs[Train]], all[h.Pairs[Train]:], nil
}
