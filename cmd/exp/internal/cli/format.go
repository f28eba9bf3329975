package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
)

// Formats are the formats of a Printable, ListFormats those of a plain list. csv, tsv and json
// are for programs.
var (
	Formats     = []string{"text", "md", "latex", "csv", "tsv", "json"}
	ListFormats = []string{"text", "csv", "tsv", "json"}
)

// Printable is a result that can be printed in all formats of --format.
type Printable interface {
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	LaTeX(w io.Writer) error
	Records() term.Records
}

// FormatFlag adds --format. Another value than these is an error.
func FormatFlag(cmd *cobra.Command, to *string, formats []string) {
	*to = formats[0]
	cmd.Flags().Var(&choice{to, formats}, "format", OneOf(formats))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// choice is the value of --format.
type choice struct {
	*string
	of []string
}

func (c *choice) String() string { return *c.string }
func (c *choice) Type() string   { return "string" }

func (c *choice) Set(value string) error {
	if !slices.Contains(c.of, value) {
		return &choiceError{fmt.Sprintf("--format %s: use %s", value, OneOf(c.of))}
	}
	*c.string = value
	return nil
}

// choiceError is a value of --format that does not exist.
type choiceError struct{ text string }

func (e *choiceError) Error() string { return e.text }

// IsData reports whether a format is for programs.
func IsData(format string) bool { return slices.Contains(ListFormats[1:], format) }

// Print prints results in a format. For programs they are one table: their columns are equal.
func Print[P Printable](t *term.IO, format string, list ...P) error {
	if IsData(format) {
		all := list[0].Records()
		for _, p := range list[1:] {
			all = append(all, p.Records()[1:]...)
		}
		return all.Write(t.Verbatim(), format)
	}
	for i, p := range list {
		if i > 0 {
			t.Printf("\n")
		}
		var err error
		switch format {
		case "md":
			err = p.Markdown(t.Out)
		case "latex":
			err = p.LaTeX(t.Out)
		default:
			err = p.Text(t.Out, t.Width(), t.Color())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PrintList prints a table that is the whole output of a command: aligned on a terminal and
// tab-separated in a pipe. values is what json has.
func PrintList(t *term.IO, format string, table *term.Table, values any) error {
	switch {
	case format == "json":
		return WriteJSON(t.Verbatim(), values)
	case format == "text":
		table.Print(t)
		return nil
	}
	return table.Records().Write(t.Verbatim(), format)
}

// WriteJSON writes values as indented JSON.
func WriteJSON(w io.Writer, values any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(values)
}
