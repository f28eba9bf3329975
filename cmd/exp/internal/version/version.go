// Package version is exp version.
package version

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// New returns exp version.
func New(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print versions: of the program, of Go, of the engine",
		Example: "  exp version",
		Args:    cli.NoWords,
		RunE: func(*cobra.Command, []string) error {
			Show(a)
			return nil
		},
	}
}

// Show prints the versions.
func Show(a *cli.App) {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	a.Printf("imdbexp   %s\n", cmp.Or(e.Version, "(devel)"))
	a.Printf("revision  %s\n", cmp.Or(e.Revision, "unknown: built outside a checkout"))
	a.Printf("result    version %d: runs of the same version and ID have the same numbers\n", runs.ResultVersion)
	a.Printf("go        %s %s/%s\n", e.Go, e.OS, e.Arch)
	for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
		a.Printf("engine    %s %s\n", name, e.Modules[name])
	}
	a.Printf("CPU       %s\n", e.CPU)
	a.Printf("SIMD      %s\n", strings.Join(cli.Levels(), ", "))
}
