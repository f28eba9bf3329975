package compare

import (
	"fmt"
	"strings"
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

// differences returns every setting in which two sides differ that has a meaning for both,
// the model before them. Of settings that only one of them has, as those of a model, it
// returns what is not at its default, unless the models are of two kinds, whose own settings
// have nothing to do with each other. seeds says whether the seed is one of them.
func differences(x, y *Side, seeds bool) []Difference {
	var out []Difference
	a, b := x.Config, y.Config
	kinds := a.Counts() != b.Counts()
	add := func(key, first, second string) {
		if first != second && x.means(key) && y.means(key) {
			out = append(out, Difference{key, first, second})
		}
	}
	add("model", a.Model, b.Model)
	for _, s := range a.Settings {
		other, both := b.Settings.Get(s.Key)
		if s.Key == "seed" && !seeds || !both && (kinds || a.From[s.Key] == "") {
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

// kinds is what is left out where one side counts n-grams and the other is a network.
const kinds = "The models differ in kind: one counts n-grams, one is a network; what is set of one kind alone is left out."

func joined(list []Difference, by string) string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.String()
	}
	return strings.Join(out, by)
}
