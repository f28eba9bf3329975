package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Mode is one of the things that a command can do. The flags of two modes exclude each other.
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
	asked := false
	for _, m := range modes {
		switch on := slices.ContainsFunc(m.Flags, given); {
		case on && asked:
			return fmt.Errorf("use %s or %s, not both", by, m)
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

// refuse returns the error of a flag that the mode does not accept.
func (m Mode) refuse(flag string, modes []Mode) error {
	var of []string
	for _, other := range modes {
		switch {
		case !slices.Contains(other.Takes, flag):
		case len(other.Flags) == 0: // the default mode
			return fmt.Errorf("use %s or --%s, not both", m, flag)
		default:
			of = append(of, other.String())
		}
	}
	return fmt.Errorf("--%s needs %s", flag, joined(of, " and "))
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
