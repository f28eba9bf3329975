// Package doctor is exp doctor: it checks the machine, the data and the folders.
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
		Long: `Checks what runs need: the CPU and its kernels (random operands at every level, against
portable code and against recorded bits), memory, disk space, locks, and every byte of
the runs (exp data check reads the data). Each line is ok, warn or fail, and says what to
do. Nothing is changed.

Exit codes: 0 no line is fail, 1 at least one is.`,
		Example: "  exp doctor\n  exp doctor --quick --runs /mnt/share/runs",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&doctor{App: a, quick: quick}).all(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "a shorter self-test; list runs without reading them")
	return cmd
}

// doctor prints its findings, a line for each.
type doctor struct {
	*cli.App
	quick  bool
	told   int
	failed int
}

// health is the result of a check.
type health string

const (
	good     health = "ok"
	doubtful health = "warn" // runs work, but could work better
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

// all runs every check, also after one has failed.
func (d *doctor) all(ctx context.Context) error {
	d.cpu()
	d.kernels()
	d.memory()
	d.data()
	d.runsFolder()
	if err := d.runsInIt(ctx); err != nil {
		return err
	}
	if d.failed > 0 {
		return fmt.Errorf("%d of %d checks failed", d.failed, d.told)
	}
	return nil
}
