package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// versionCommand returns exp version.
func versionCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, of Go and of the engine",
		Example: "  exp version",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			showVersions(a)
			return nil
		},
	}
}

// showVersions prints the versions of the program, of Go and of the engine.
func showVersions(a *cli.App) {
	e := runs.NewEnvironment(simd.Current().String(), a.Workers, nil)
	say := func(what, text string) { a.Say(text, fmt.Sprintf("%-10s", what), strings.Repeat(" ", 10)) }
	say("imdbexp", e.Build())
	say("revision", cmp.Or(e.Revision, "unknown: built outside a checkout"))
	say("result", fmt.Sprintf("version %d: runs of the same version and ID have the same numbers", runs.ResultVersion))
	say("go", fmt.Sprintf("%s %s/%s", e.Go, e.OS, e.Arch))
	for _, name := range slices.Sorted(maps.Keys(e.Modules)) {
		say("engine", name+" "+e.Modules[name])
	}
	say("CPU", e.CPU)
	say("SIMD", strings.Join(cli.Levels(), ", "))
}
