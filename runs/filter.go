package runs

import (
	"cmp"
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
		if err := known(settled, key); err != nil {
			return nil, err
		}
		var failed error
		out = slices.DeleteFunc(out, func(r *Run) bool {
			if key == tagKey {
				m, err := r.Remarks()
				failed = cmp.Or(failed, err)
				return slices.Contains(m.Tags, value) == not
			}
			c := settled[r]
			own, ok := c.Settings.Get(key)
			return (ok && (sameValue(own, value) || sameValue(r.Config.Setting(key), value))) == not
		})
		if failed != nil {
			return nil, failed
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
	keys := map[string]bool{tagKey: true}
	for _, c := range all {
		for _, s := range c.Settings {
			keys[s.Key] = true
		}
	}
	if len(keys) == 1 || keys[key] {
		return nil
	}
	return fmt.Errorf("unknown setting %q%s", key, settings.Nearest(key, slices.Sorted(maps.Keys(keys))))
}

// sameValue compares values as users write them: 1e-3 equals 0.001, and 1 equals true.
func sameValue(own, asked string) bool {
	if a, err := strconv.ParseFloat(own, 64); err == nil {
		b, err := strconv.ParseFloat(asked, 64)
		return own == asked || err == nil && a == b
	}
	b, err := strconv.ParseBool(asked)
	return own == asked || err == nil && strconv.FormatBool(b) == own
}
