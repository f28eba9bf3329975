package lesson

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// answers are those of a lesson's exercises: a letter, or a number with what it may be
// off by, as in 0.93 ± 0.01.
func (l *lesson) answers() (out []string) {
	for _, b := range l.blocks {
		if b.kind == answer {
			out = append(out, b.text)
		}
	}
	return out
}

// check says whether an exercise is solved; an error says that the question makes no
// sense.
func (l *lesson) check(exercise int, given string) (right bool, err error) {
	all := l.answers()
	if exercise < 1 || exercise > len(all) {
		return false, fmt.Errorf("lesson %d has no exercise %d: want 1 to %d", l.number, exercise, len(all))
	}
	want, off, numeric := strings.Cut(all[exercise-1], " ± ")
	given = strings.TrimSpace(given)
	if !numeric {
		if len(given) != 1 {
			return false, errors.New("the answer is one of the letters before the choices, such as a")
		}
		return strings.EqualFold(given, want), nil
	}
	x, err := number(given)
	if err != nil {
		return false, err
	}
	y, err1 := number(want)
	d, err2 := number(off)
	return math.Abs(x-y) <= d*(1+1e-9), errors.Join(err1, err2)
}

// number reads a number as people write it: 62.2, −1,5, 62.2 %, 1 200.
func number(text string) (float64, error) {
	plain := strings.NewReplacer("−", "-", ",", ".", "%", "", " ", "", "\u00a0", "", "\u202f", "").Replace(text)
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("the answer is a number, such as 0.5; %q is none", text)
	}
	return x, nil
}
