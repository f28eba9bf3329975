package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/report/canvas"
)

func (a *app) drawCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Draw what is behind attention: positions, dot products, cost, scale",
		Long: `Draw figures that no single run's curves show (those: exp report --out FOLDER).
docs/figures.md says how to read them. --out FILE.svg or FILE.png writes that
format; without an ending both are written.`,
		Example: "  exp draw encodings\n  exp draw dots @last 'a great film'\n  exp draw time --lengths 64,256,1024\n  exp draw scale",
		Args:    onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(fmt.Errorf("draw what? %s", strings.Join(drawings(cmd), ", ")))
		},
	}
	cmd.AddCommand(a.drawEncodingsCommand(), a.drawDotsCommand(), a.drawTimeCommand(), a.drawScaleCommand())
	return cmd
}

func drawings(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		out = append(out, c.Name())
	}
	return out
}

// outFlag adds the flag that every drawing has; what it says is checked before
// anything is measured.
func outFlag(cmd *cobra.Command, out *string) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		_, err := files(*out)
		return err
	}
	cmd.Flags().StringVar(out, "out", "", "file to write, .svg or .png; without an ending both (default: a name of its own in this folder)")
	cmd.MarkFlagFilename("out", canvas.Formats...)
}

// files returns the path of each format to write.
func files(out string) (map[string]string, error) {
	ext := filepath.Ext(out)
	format := strings.ToLower(strings.TrimPrefix(ext, "."))
	switch {
	case out == "-" || ext != "" && filepath.Base(out) == ext || strings.HasSuffix(out, "/"):
		return nil, usage(fmt.Errorf("--out %s: want the name of a file", out))
	case slices.Contains(canvas.Formats, format):
		return map[string]string{format: out}, nil
	case ext != "":
		return nil, usage(fmt.Errorf("--out %s: use an ending of .%s, or none for both", out, strings.Join(canvas.Formats, " or .")))
	}
	paths := map[string]string{}
	for _, f := range canvas.Formats {
		paths[f] = out + "." + f
	}
	return paths, nil
}

// write draws a figure into out, by default under its own name, and says where it
// went and what to see. Nothing is written before every format is drawn.
func (a *app) write(f canvas.Figure, size canvas.Size, out, see string) error {
	if out == "" {
		out = f.Name
	}
	paths, err := files(out)
	if err != nil {
		return err
	}
	drawn := map[string][]byte{}
	for format := range paths {
		var b bytes.Buffer
		if err := f.Write(&b, format, size); err != nil {
			return err
		}
		drawn[format] = b.Bytes()
	}
	for _, format := range canvas.Formats {
		path, ok := paths[format]
		if !ok {
			continue
		}
		if err := writeFile(path, bytesTo(drawn[format])); err != nil {
			return err
		}
		a.printf("wrote %s\n", path)
	}
	a.printf("%s\n", a.wrap(see, "", ""))
	return nil
}
