package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/simd"
	"imdbexp/runs"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print versions: of the program, of Go, of the engine",
		Example: "  exp version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e := runs.NewEnvironment(simd.Current().String(), a.workers, nil)
			a.printf("imdbexp   %s\n", cmp.Or(e.Version, "(devel)"))
			a.printf("revision  %s\n", cmp.Or(e.Revision, "unknown: built outside a checkout"))
			a.printf("result    version %d: runs of the same version and ID have the same numbers\n", runs.ResultVersion)
			a.printf("go        %s %s/%s\n", e.Go, e.OS, e.Arch)
			for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
				a.printf("engine    %s %s\n", name, e.Modules[name])
			}
			a.printf("CPU       %s\n", e.CPU)
			a.printf("SIMD      %s\n", strings.Join(levels(), ", "))
			return nil
		},
	}
}
