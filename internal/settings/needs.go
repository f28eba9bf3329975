package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Idle reports whether a setting has no effect because of another one: under is the value of
// that one, such as schedule=constant, and needs is the required value, such as schedule=step.
//
// The tag needs lists alternative conditions, KEY=VALUE|VALUE… or KEY!=VALUE, separated by
// spaces. A condition on a setting that the run does not have is true.
func (s *Set) Idle(key string) (under, needs string, idle bool) {
	e := s.find(key)
	if e == nil || e.Needs == "" {
		return "", "", false
	}
	var are, want []string
	for one := range strings.FieldsSeq(e.Needs) {
		other, values, not := condition(one)
		have := s.find(other)
		if have == nil || slices.Contains(values, have.value) != not {
			return "", "", false
		}
		are = append(are, other+"="+have.value)
		if not {
			want = append(want, fmt.Sprintf("%s other than %s", other, values[0]))
		} else {
			want = append(want, other+"="+strings.Join(values, " or "))
		}
	}
	return strings.Join(are, " and "), strings.Join(want, ", or "), true
}

// condition parses one condition of the tag needs.
func condition(text string) (key string, values []string, not bool) {
	key, value, _ := strings.Cut(text, "=")
	key, not = strings.CutSuffix(key, "!")
	return key, strings.Split(value, "|"), not
}
