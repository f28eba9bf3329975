package compare

import (
	"cmp"
	"fmt"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/runs"
)

// Difference is a setting that differs between two sides.
type Difference struct {
	Key           string
	First, Second string // values; "" for a side without the setting
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s → %s", d.Key, cmp.Or(d.First, format.None), cmp.Or(d.Second, format.None))
}

// differences returns the settings that both sides use and that differ, the model first.
// A setting that only one side has is returned if it is not at its default, unless the models are
// of different kinds. seeds says whether the seed counts.
func differences(x, y *Side, seeds bool) (out []Difference) {
	a, b := x.Config, y.Config
	kinds := a.Counts() != b.Counts()
	add := func(key, first, second string) {
		if first != second && x.uses(key) && y.uses(key) {
			out = append(out, Difference{key, first, second})
		}
	}
	add("model", a.Model, b.Model)
	for _, s := range a.Settings {
		other, both := b.Settings.Get(s.Key)
		if (s.Key == "seed" || s.Key == runs.TestSeedKey) && !seeds || !both && (kinds || a.From[s.Key] == "") {
			continue
		}
		add(s.Key, s.Value, other)
	}
	for _, s := range b.Settings {
		if _, both := a.Settings.Get(s.Key); !both && !kinds && b.From[s.Key] != "" {
			add(s.Key, "", s.Value)
		}
	}
	return out
}

// settings returns a sentence on the differing settings; "" if they are not known.
func (c *Comparison) settings() string {
	if !c.known {
		return ""
	}
	sides := fmt.Sprintf("From %s to %s", c.First, c.Second)
	if len(c.Differ) == 0 {
		return sides + " no setting differs."
	}
	text := fmt.Sprintf("%s differ: %s", sides, joined(c.Differ, "; "))
	if len(c.Differ) == 1 && c.Differ[0].Key == "model" {
		text += "; no setting that both have"
	}
	return text + "."
}

// kinds says that settings of a single kind of model are not listed.
const kinds = "The models differ in kind: one counts n-grams, one is a network; settings that only one kind has are left out."

func joined(list []Difference, by string) string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.String()
	}
	return strings.Join(out, by)
}
