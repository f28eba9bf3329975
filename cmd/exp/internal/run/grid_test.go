package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		jobs, cores, workers, plans int
		given                       bool
		wantJobs, wantEach          int
	}{
		{1, 8, 8, 10, false, 1, 8},
		{2, 8, 8, 10, false, 2, 4},
		{3, 8, 8, 10, false, 3, 2},
		{16, 8, 8, 10, false, 8, 1},
		{4, 8, 8, 2, false, 2, 4},   // no more than there are runs
		{4, 8, 4, 10, true, 2, 4},   // --workers 4: two jobs fit
		{4, 8, 16, 10, true, 1, 16}, // as asked, for one
		{2, 1, 1, 10, false, 1, 1},
	} {
		jobs, each := jobs{n: c.jobs, given: c.given}.share(c.cores, c.workers, c.plans)
		require.Equal(t, []int{c.wantJobs, c.wantEach}, []int{jobs, each}, "%+v", c)
	}
}
