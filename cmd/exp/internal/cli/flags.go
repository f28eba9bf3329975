package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
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

// FormatFlag adds --format. Any other value is an error.
func FormatFlag(cmd *cobra.Command, to *string, formats []string) {
	*to = formats[0]
	cmd.Flags().Var(&choice{to, formats}, "format", OneOf(formats))
}

// choice is the value of --format.
type choice struct {
	*string
	choices []string
}

func (c *choice) String() string { return *c.string }
func (c *choice) Type() string   { return "string" }

func (c *choice) Set(value string) error {
	if !slices.Contains(c.choices, value) {
		return choiceError(fmt.Sprintf("--format %s: use %s", value, OneOf(c.choices)))
	}
	*c.string = value
	return nil
}

// choiceError is a value of --format that does not exist.
type choiceError string

func (e choiceError) Error() string { return string(e) }

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

// PrintTable prints a table that is the whole output of a command: aligned on a terminal and
// tab-separated in a pipe.
func PrintTable(t *term.IO, format string, table *term.Table) error {
	if format == "text" {
		table.Print(t)
		return nil
	}
	return table.Records().Write(t.Verbatim(), format)
}

// PrintList is PrintTable for a list whose json has more than the table.
func PrintList(t *term.IO, format string, table *term.Table, values any) error {
	if format == "json" {
		return WriteJSON(t.Verbatim(), values)
	}
	return PrintTable(t, format, table)
}

// WriteJSON writes values as indented JSON.
func WriteJSON(w io.Writer, values any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(values)
}

// Mode is an alternative use of a command. The flags of two modes exclude each other.
type Mode struct {
	Flags []string // flags that select the mode; none for the default mode
	Name  string   // instead of the flags in messages
	Takes []string // further flags that the mode accepts
}

func (m Mode) String() string {
	if m.Name != "" {
		return m.Name
	}
	list := slices.Clone(m.Flags)
	for i := range list {
		list[i] = "--" + list[i]
	}
	return joined(list, " and ")
}

// CheckModes returns an error if the flags select two modes, or if the selected mode does not accept
// one of them.
func CheckModes(given func(flag string) bool, modes []Mode) error {
	var by Mode // the selected mode
	for _, m := range modes {
		switch on := slices.ContainsFunc(m.Flags, given); {
		case on && len(by.Flags) > 0:
			return fmt.Errorf("use %s or %s, not both", by, m)
		case on || len(m.Flags)+len(by.Flags) == 0:
			by = m
		}
	}
	for _, m := range modes {
		for _, flag := range m.Takes {
			if !given(flag) || slices.Contains(by.Takes, flag) {
				continue
			}
			var of []string // the modes that accept it
			for _, other := range modes {
				accepts := slices.Contains(other.Takes, flag)
				if accepts && len(other.Flags) == 0 { // the default mode
					return fmt.Errorf("use %s or --%s, not both", by, flag)
				} else if accepts {
					of = append(of, other.String())
				}
			}
			return fmt.Errorf("--%s needs %s", flag, joined(of, " and "))
		}
	}
	return nil
}

// GivenFlags returns a function that reports whether a flag was given.
func GivenFlags(cmd *cobra.Command) func(flag string) bool {
	return func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed && f.Value.String() != "false"
	}
}

// Given returns the first of the flags that was given, or "".
func Given(given func(flag string) bool, flags ...string) string {
	if i := slices.IndexFunc(flags, given); i >= 0 {
		return flags[i]
	}
	return ""
}

// OneOf lists choices as a sentence does: a, b or c.
func OneOf(choices []string) string { return joined(choices, " or ") }

func joined(list []string, word string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + word + list[last]
}

// FlagError explains an error of a flag: a setting must be given as key=value, and the messages of
// strconv are for programmers.
func (a *App) FlagError(c *cobra.Command, err error) error {
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		switch name := missing.GetSpecifiedName(); {
		case instead(c.Name(), name) != "":
			return Usagef("%w; %s", err, instead(c.Name(), name))
		case strings.Contains(c.Use, "key=value") && plan.IsSetting(name):
			return Usagef("%w; %s is a setting: %s=VALUE", err, name, name)
		case c.Flags().Lookup("where") != nil && (name == "tag" || plan.IsSetting(name)):
			return Usagef("%w; use --where %s=VALUE", err, name)
		}
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if near := settings.Closest(missing.GetSpecifiedName(), flags); near != "" {
			err = fmt.Errorf("%w (did you mean --%s?)", err, near)
		}
	}
	if wrong, ok := errors.AsType[choiceError](err); ok {
		return Usage(wrong)
	}
	text := err.Error()
	for _, p := range parsing {
		text = p.pattern.ReplaceAllString(text, p.want)
	}
	return Usagef("%s; %s --help lists the flags", text, c.CommandPath())
}

var parsing = []struct {
	pattern *regexp.Regexp
	want    string
}{
	{regexp.MustCompile(`strconv\.(Atoi|ParseInt|ParseUint): parsing ".*": .*$`), "want a whole number"},
	{regexp.MustCompile(`strconv\.ParseFloat: parsing ".*": .*$`), "want a number"},
	{regexp.MustCompile(`time: .*$`), "want a time such as 30s, 2m or 1h30m"},
	{regexp.MustCompile(`strconv\.ParseBool: parsing ".*": .*$`), "want true or false"},
}

// emptyFlag returns an error if a flag has an empty value, for example from an unset shell variable: it
// would look like a flag that was not given.
func emptyFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); err == nil && (v == "" || v == "[]") {
			err = fmt.Errorf("--%s '': want a value; see %s --help", f.Name, c.CommandPath())
		}
	})
	return err
}

// Next prints commands to try next, each with its purpose.
func Next(io *term.IO, list [][2]string) {
	width := 0
	for _, l := range list {
		width = max(width, term.Width(l[0]))
	}
	io.Printf("next:\n")
	narrow := io.Width() > 0 && width+4+24 > io.Width()
	for _, l := range list {
		if narrow {
			io.Printf("  %s\n%s\n", l[0], io.Wrap(l[1], "      ", "      "))
			continue
		}
		io.SayIndented(l[1], fmt.Sprintf("  %-*s  ", width, l[0]), strings.Repeat(" ", width+4))
	}
}

// Help sets the layout of the help of all commands: examples first, then usage, text, commands and
// flags, as wide as the terminal.
func (a *App) Help(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		section := func(title, text string) {
			if text != "" {
				fmt.Fprintf(out, "%s:\n%s\n\n", title, strings.TrimRight(text, "\n"))
			}
		}
		usage := "  " + cmd.UseLine()
		if cmd.HasAvailableSubCommands() {
			usage += "\n  " + cmd.CommandPath() + " [command]"
		}
		section("Examples", cmd.Example)
		section("Usage", usage)
		fmt.Fprintf(out, "%s\n\n", a.fitted(cmp.Or(cmd.Long, cmd.Short)))
		var commands strings.Builder
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				commands.WriteString(a.IO.Wrap(c.Short, fmt.Sprintf("  %-12s", c.Name()), strings.Repeat(" ", 14)) + "\n")
			}
		}
		section("Commands", commands.String())
		section("Flags", cmd.LocalFlags().FlagUsagesWrapped(a.Width()))
		if cmd.HasParent() {
			fmt.Fprintln(out, a.fitted(root.Name()+" --help shows --runs, --data-dir, --workers and --simd, for all commands."))
		}
	})
}

// fitted breaks the paragraphs of a text that are wider than the terminal. A paragraph with columns
// stays as it is.
func (a *App) fitted(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if a.Width() > 0 && !strings.Contains(p, "  ") {
			paragraphs[i] = term.Wrap(strings.Join(strings.Fields(p), " "), a.Width(), "", "")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
