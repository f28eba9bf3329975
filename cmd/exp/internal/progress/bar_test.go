package progress

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// screen is what a terminal shows of text and the movements of a bar.
type screen struct {
	rows    []string
	columns int
}

func (s *screen) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		line = strings.TrimPrefix(line, "\r")
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			up, text, _ := strings.Cut(rest, "A\x1b[J")
			n, _ := strconv.Atoi(up)
			s.rows, line = s.rows[:len(s.rows)-n], text
		}
		if line == "" {
			continue
		}
		s.add(strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}

func (s *screen) add(text string) {
	runes := []rune(text)
	for ; len(runes) > s.columns; runes = runes[s.columns:] {
		s.rows = append(s.rows, string(runes[:s.columns]))
	}
	s.rows = append(s.rows, string(runes))
}

// narrow breaks the lines again, as most terminals do, or clips them.
func (s *screen) narrow(columns int, breaks bool) {
	rows := s.rows
	s.rows, s.columns = nil, columns
	for _, r := range rows {
		if runes := []rune(r); !breaks && len(runes) > columns {
			r = string(runes[:columns])
		}
		s.add(r)
	}
}

// A terminal that gets narrower keeps one bar, and the lines above it, unless it breaks the bar itself.
func TestBarInNarrowedTerminal(t *testing.T) {
	for _, c := range []struct {
		to     int
		breaks bool
	}{{70, true}, {70, false}, {40, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := &screen{columns: 100}
			b := NewBar(term.New(s, io.Discard, 100, false))
			b.width = func() int { return s.columns }
			set := func(done int64) {
				b.drawn = b.drawn.Add(-refresh)
				b.Set(done, 4, "grid", "1 running, 3:20 min left")
			}
			set(1)
			require.Equal(t, []string{"grid  ━━━━━━━" + strings.Repeat("─", 21) + "  1 running, 3:20 min left"}, s.rows)
			fmt.Fprintln(b, "[1/4] done")
			s.narrow(c.to, c.breaks)
			fmt.Fprintln(b, "[2/4]")
			set(2)
			require.Len(t, s.rows, 3, "%q", s.rows)
			require.Equal(t, []string{"[1/4] done", "[2/4]"}, s.rows[:2])
			require.Less(t, term.Width(s.rows[2]), c.to)
			b.Stop()
			require.Equal(t, []string{"[1/4] done", "[2/4]"}, s.rows)
		})
	}
}
