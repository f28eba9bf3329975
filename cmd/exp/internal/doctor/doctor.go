// Package doctor is exp doctor: is there anything wrong with machine, data or folders?
package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
)

// New returns exp doctor.
func New(a *cli.App) *cobra.Command {
	quick := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the machine, the data and the folders",
		Long: `Check what runs need: the CPU and its kernels (a second of random operands at every
level against portable code, and against the bits that the kernels had when they
were written), memory, the data, the word vectors and the runs (every byte is read),
room on the disks, and locks where runs are written. Each line is ok, warn or fail, with
what to do. Nothing is changed.

Exit codes: 0 nothing is wrong, 1 something is (fail).`,
		Example: "  exp doctor\n  exp doctor --quick --runs /mnt/share/runs",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&doctor{App: a, quick: quick}).all(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "a shorter self-test; data are only looked for and runs listed, not read")
	return cmd
}

// doctor tells what is wrong, a line a finding.
type doctor struct {
	*cli.App
	quick  bool
	told   int
	failed int
}

// health is how a finding is to be taken.
type health string

const (
	good     health = "ok"
	doubtful health = "warn" // runs work, but not as well as they could
	wrong    health = "fail"
)

// tell prints a finding: on a terminal aligned, in a pipe tab-separated.
func (d *doctor) tell(h health, what, text string) {
	d.told++
	if h == wrong {
		d.failed++
	}
	if !d.IO.Terminal() {
		d.Printf("%s\n", strings.Join([]string{string(h), what, text}, "\t"))
		return
	}
	style := term.Style("")
	if h != good {
		style = term.Bold
	}
	head := d.IO.Paint(style, fmt.Sprintf("%-5s", h)) + fmt.Sprintf(" %-12s ", what)
	d.Say(text, head, strings.Repeat(" ", term.Width(head)))
}

// all makes every check; what is wrong with one keeps none of the others.
func (d *doctor) all(ctx context.Context) error {
	d.program()
	d.cpu()
	d.kernels()
	d.memory()
	d.temporary()
	d.dataFolder()
	if err := d.installed(ctx); err != nil {
		return err
	}
	d.runsFolder()
	if err := d.runsInIt(ctx); err != nil {
		return err
	}
	if d.failed > 0 {
		return fmt.Errorf("%d of %d findings are wrong", d.failed, d.told)
	}
	return nil
}
