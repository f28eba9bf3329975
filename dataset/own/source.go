package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ownSource reads what AddOwn has written.
type ownSource struct {
	path     string
	shown    string // what messages call the file
	header   ownHeader
	limits   Limits
	progress Progress
}

// openOwn reads the header.
func openOwn(path, shown string, o OpenOptions) (Source, error) {
	s := ownSource{path: path, shown: shown, limits: o.Limits.orDefault(), progress: o.Progress}
	in, err := openStream(context.Background(), path, shown, s.limits.TotalBytes, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l := lines{in: bufio.NewReader(in), limit: 1 << 20}
	if err := l.decode(&s.header); err != nil {
		return nil, s.damaged(l.n, err)
	}
	h := s.header
	switch {
	case h.Format > ownFormat:
		return nil, newerFormat(shown, h.Format, ownFormat)
	case h.Format < 1 || len(h.Classes) < minClasses || len(h.Classes) > maxClasses || slices.Contains(h.Classes, ""):
		return nil, s.damaged(1, errors.New("this is no header"))
	}
	return s, nil
}

// String implements Source.
func (s ownSource) String() string { return s.shown }

// Classes implements Source.
func (s ownSource) Classes() []string { return s.header.Classes }

// Reviews implements Source.
func (s ownSource) Reviews(ctx context.Context, yield func(Part, Review) error) error {
	in, err := openStream(ctx, s.path, s.shown, s.limits.TotalBytes, s.progress)
	if err != nil {
		return err
	}
	defer in.Close()
	// JSON takes up to six bytes for one of the text.
	l := lines{in: bufio.NewReaderSize(in, 1<<16), limit: 6*s.limits.ReviewBytes + 4096}
	if err := l.decode(&ownHeader{}); err != nil {
		return s.damaged(l.n, err)
	}
	class := map[string]int{"": Unlabelled}
	for i, c := range s.header.Classes {
		class[c] = i
	}
	budget, seen := s.limits, [parts]int{}
	for {
		var r ownLine
		err := l.decode(&r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return s.damaged(l.n, err)
		}
		where := fmt.Sprintf("%s: line %d", s.shown, l.n)
		label, known := class[r.Label]
		part := Part(slices.Index([]string{Train.String(), Test.String(), Extra.String()}, r.Split))
		if !known || part >= parts || (label == Unlabelled) != (part == Extra) || r.ID == "" {
			return s.damaged(l.n, errors.New("split, label or name of the review do not fit"))
		}
		if err := budget.spend(int64(len(r.Text))); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := checkText(where, r.Text); err != nil {
			return err
		}
		seen[part]++
		if err := yield(part, Review{ID: r.ID, Text: r.Text, Label: label}); err != nil {
			return err
		}
	}
	if seen != s.header.Reviews {
		return fmt.Errorf("%s: has %v reviews instead of %v: the file is not whole, add the data again", s.shown, seen, s.header.Reviews)
	}
	return nil
}

func (s ownSource) damaged(line int, err error) error { return damagedLine(s.shown, line, err) }

// damagedLine explains what is wrong with a line of own data.
func damagedLine(shown string, line int, err error) error {
	limit := new(limitError)
	switch {
	case errors.As(err, &limit), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%s: line %d is damaged or cut off (%w): add the data again", shown, line, err)
}

// newerFormat says that own data come from a later version of this program.
func newerFormat(shown string, format, known int) error {
	return fmt.Errorf("%s: has format %d, and this program knows %d: take a newer one, or add the data again", shown, format, known)
}

// lines decodes lines of JSON, none longer than a limit.
type lines struct {
	in    *bufio.Reader
	limit int64
	n     int // number of the line read last
	buf   []byte
}

func (l *lines) decode(into any) error {
	l.buf = l.buf[:0]
	l.n++
	for {
		part, err := l.in.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		switch {
		case int64(len(l.buf)) > l.limit:
			return tooLong(l.limit)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.buf) == 0:
			return io.EOF
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		return json.Unmarshal(l.buf, into)
	}
}

// installedOwn lists the data sets that AddOwn and AddPairs have put into the data folder.
func installedOwn(dir string) ([]Item, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var items []Item
	for _, e := range entries { // in the order of their names
		kind := CorpusKind
		name, ok := strings.CutSuffix(e.Name(), ownSuffix)
		if !ok {
			kind = PairsKind
			name, ok = strings.CutSuffix(e.Name(), pairsSuffix)
		}
		if !ok || vectorsName(name) != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // a link counts as what it leads to
			items = append(items, Item{kind, name, path, info.Size()})
		}
	}
	return items, nil
}
