package runs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/settings"
)

// BracketSettings returns the settings of name[key=value,…], nil if there are no brackets.
func BracketSettings(ref string) ([]string, error) {
	_, list, bracket := strings.Cut(ref, "[")
	if !bracket {
		return nil, nil
	}
	list, closed := strings.CutSuffix(list, "]")
	if !closed {
		return nil, fmt.Errorf("%q: want name[key=value,…]", ref)
	}
	var out []string
	depth, from := 0, 0 // a value may itself have brackets
	for i, c := range list {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			out, from = append(out, strings.TrimSpace(list[from:i])), i+1
		}
	}
	return append(out, strings.TrimSpace(list[from:])), nil
}

// tagKey is the key of a tag in conditions.
const tagKey = "tag"

// With returns the runs that satisfy all conditions, key=value or key!=value. A run has a
// value if its own configuration or its Normalized one has it; tag=WORD is a tag of its Remarks.
func With(all []*Run, conditions []string) ([]*Run, error) {
	out := slices.Clone(all)
	if len(conditions) == 0 {
		return out, nil
	}
	settled := make(map[*Run]Config, len(all))
	for _, r := range all {
		settled[r] = r.Normalized()
	}
	for _, c := range conditions {
		key, value, err := settings.Cut(c)
		if err != nil {
			return nil, err
		}
		key, not := strings.CutSuffix(key, "!")
		if key == tagKey {
			if out, err = tagged(out, value, not); err != nil {
				return nil, err
			}
			continue
		}
		if err := known(settled, key); err != nil {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(r *Run) bool {
			c := settled[r]
			own, ok := c.Settings.Get(key)
			return (ok && (sameValue(own, value) || sameValue(r.Config.Setting(key), value))) == not
		})
	}
	return out, nil
}

// tagged returns the runs that have a tag, or those that do not have it.
func tagged(all []*Run, tag string, not bool) (out []*Run, err error) {
	for _, r := range all {
		m, err := r.Remarks()
		if err != nil {
			return nil, err
		}
		if slices.Contains(m.Tags, tag) != not {
			out = append(out, r)
		}
	}
	return out, nil
}

// current removes runs that differ from another run only by an older result version.
func current(all []*Run) []*Run {
	newest := map[string]int{}
	key := make(map[*Run]string, len(all))
	for _, r := range all {
		c := r.Normalized()
		key[r] = strings.Join(c.Settings.Assignments(), "\n")
		newest[key[r]] = max(newest[key[r]], r.Config.Result)
	}
	return slices.DeleteFunc(all, func(r *Run) bool { return r.Config.Result < newest[key[r]] })
}

// known checks that one of the runs has a setting.
func known(all map[*Run]Config, key string) error {
	keys := map[string]bool{}
	for _, c := range all {
		for _, s := range c.Settings {
			keys[s.Key] = true
		}
	}
	if len(keys) == 0 || keys[key] {
		return nil
	}
	return fmt.Errorf("unknown setting %q%s", key, settings.Nearest(key, slices.Sorted(maps.Keys(keys))))
}

// sameValue compares values as users write them: 1e-3 equals 0.001, and 1 equals true.
func sameValue(own, asked string) bool {
	if own == asked {
		return true
	}
	if a, err := strconv.ParseFloat(own, 64); err == nil {
		b, err := strconv.ParseFloat(asked, 64)
		return err == nil && a == b
	}
	if own == "true" || own == "false" {
		b, err := strconv.ParseBool(asked)
		return err == nil && strconv.FormatBool(b) == own
	}
	return false
}

// suggest returns a hint with the name most similar to ref.
func suggest(all []*Run, ref string) string {
	names := map[string]bool{}
	for _, r := range all {
		names[r.Config.Name] = true
	}
	name, _, _ := strings.Cut(ref, "[")
	if names[name] {
		return "" // the name exists, its settings do not match
	}
	return settings.Nearest(name, slices.Sorted(maps.Keys(names)))
}

// describe lists runs with their states and differing settings.
func describe(all []*Run) string {
	var b strings.Builder
	for i, r := range all {
		if i == 20 {
			fmt.Fprintf(&b, "\n  and %d more", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", r.Label(), r.Status)
		for _, s := range r.Config.Settings {
			if slices.ContainsFunc(all, func(o *Run) bool { return o.Config.Setting(s.Key) != s.Value }) {
				fmt.Fprintf(&b, "  %s=%s", s.Key, s.Value)
			}
		}
	}
	return b.String()
}
