package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Mode is one of the things that a command can do, of which it does one at a time.
type Mode struct {
	Flags []string          // any of which asks for it; none of what the command does by itself
	Name  string            // of those flags, where they alone do not tell
	Takes []string          // flags, beside those that no mode names
	Lacks map[string]string // flags, with words that go between the mode's name and "leave out --flag"
}

func (m Mode) String() string {
	if m.Name != "" {
		return m.Name
	}
	return flagList(m.Flags)
}

// CheckModes refuses flags that do not go together: those that ask for two modes, and
// those that the mode at hand does not take.
func CheckModes(given func(flag string) bool, modes []Mode) error {
	var by Mode // what the command does by itself
	asked := false
	for _, m := range modes {
		switch on := slices.ContainsFunc(m.Flags, given); {
		case on && asked:
			return clash(given, by, m)
		case on:
			by, asked = m, true
		case len(m.Flags) == 0 && !asked:
			by = m
		}
	}
	for _, m := range modes {
		for _, flag := range m.Takes {
			if given(flag) && !slices.Contains(by.Takes, flag) {
				return by.refuse(flag, modes)
			}
		}
	}
	return nil
}

// clash says why two modes exclude each other.
func clash(given func(flag string) bool, a, b Mode) error {
	if flag := Given(given, b.Flags...); a.Lacks[flag] != "" {
		return a.refuse(flag, nil)
	}
	if flag := Given(given, a.Flags...); b.Lacks[flag] != "" {
		return b.refuse(flag, nil)
	}
	return fmt.Errorf("%s and %s: one of them", a, b)
}

// refuse says why the mode does not take a flag, or else which modes do.
func (m Mode) refuse(flag string, modes []Mode) error {
	why, told := m.Lacks[flag]
	switch {
	case told && len(m.Flags) == 0:
		return fmt.Errorf("--%s %s", flag, why)
	case told:
		return fmt.Errorf("%s %s: leave out --%s", m, why, flag)
	}
	var of []string
	for _, other := range modes {
		switch {
		case !slices.Contains(other.Takes, flag):
		case len(other.Flags) == 0: // and of others, too: naming these would tell less
			return fmt.Errorf("%s and --%s: one of them", m, flag)
		default:
			of = append(of, other.String())
		}
	}
	return fmt.Errorf("--%s is of %s", flag, joined(of, " and "))
}

// GivenFlags returns what tells which flags of a command were given.
func GivenFlags(cmd *cobra.Command) func(flag string) bool {
	return func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed && f.Value.String() != "false"
	}
}

// Given returns the first of some flags that was given, or "".
func Given(given func(flag string) bool, flags ...string) string {
	if i := slices.IndexFunc(flags, given); i >= 0 {
		return flags[i]
	}
	return ""
}

func flagList(flags []string) string {
	list := make([]string, len(flags))
	for i, f := range flags {
		list[i] = "--" + f
	}
	return joined(list, " and ")
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
