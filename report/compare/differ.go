package compare

import (
	"fmt"
	"strings"

	"imdbexp/runs"
)

// Difference is a setting that two sides do not have in common.
type Difference struct {
	Key           string
	First, Second string // values; "" where a side does not have the setting
}

func (d Difference) String() string {
	value := func(v string) string {
		if v == "" {
			return "–"
		}
		return v
	}
	return fmt.Sprintf("%s %s → %s", d.Key, value(d.First), value(d.Second))
}

// differences returns every setting in which two runs differ, the model before them.
// Of settings that only one of them has, as those of a model, it returns what is not at
// its default. seeds says whether the seed is one of them.
func differences(a, b *runs.Config, seeds bool) []Difference {
	var out []Difference
	add := func(key, first, second string) {
		if first != second {
			out = append(out, Difference{key, first, second})
		}
	}
	add("model", a.Model, b.Model)
	for _, s := range a.Settings {
		other, both := b.Settings.Get(s.Key)
		if s.Key == "seed" && !seeds || !both && a.From[s.Key] == "" {
			continue
		}
		add(s.Key, s.Value, other)
	}
	for _, s := range b.Settings {
		if _, both := a.Settings.Get(s.Key); !both && b.From[s.Key] != "" {
			add(s.Key, "", s.Value)
		}
	}
	return out
}

// apart says in words in which settings the sides differ, "" where that is not known.
func (c *Comparison) apart() string {
	if !c.known {
		return ""
	}
	sides := fmt.Sprintf("From %s to %s", c.First, c.Second)
	if len(c.Differ) == 0 {
		return fmt.Sprintf("%s no setting differs.", sides)
	}
	text := fmt.Sprintf("%s differ: %s", sides, joined(c.Differ, "; "))
	if len(c.Differ) == 1 && c.Differ[0].Key == "model" {
		text += "; no setting that both have"
	}
	return text + "."
}

func joined(list []Difference, by string) string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.String()
	}
	return strings.Join(out, by)
}
