package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/testmodel"
)

// slow takes longer between two runs than a bar takes to be drawn.
type slow struct{ context.Context }

func (s slow) Err() error {
	time.Sleep(500 * time.Millisecond)
	return s.Context.Err()
}

type kept struct {
	sync.Mutex
	strings.Builder
}

func (k *kept) Write(p []byte) (int, error) {
	k.Lock()
	defer k.Unlock()
	return k.Builder.Write(p)
}

// How far the reading of runs has come is shown on a terminal, and there alone; what was found
// stands below it.
func TestRunsReadWithABar(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-mean")
	require.NoError(t, os.CopyFS(run.Path+"-again", os.DirFS(run.Path)))
	for name, c := range map[string]struct {
		width int
		quick bool
		bar   bool
	}{"terminal": {80, false, true}, "quick": {80, true, false}, "pipe": {0, false, false}} {
		t.Run(name, func(t *testing.T) {
			out := new(kept)
			d := &doctor{App: &cli.App{IO: term.New(out, out, c.width, false), Runs: filepath.Dir(filepath.Dir(run.Path))}, quick: c.quick}
			ctx := t.Context()
			if c.bar {
				ctx = slow{ctx}
			}
			require.NoError(t, d.runsInIt(ctx))
			text := out.String()
			require.Equal(t, c.bar, strings.Contains(text, "run 1 of 2"), "%q", text)
			require.Regexp(t, `\d finished, `, text[strings.LastIndex(text, "of 2")+1:])
		})
	}
}
