package lesson

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// check returns whether an answer to an exercise is right; an error means that it cannot be read.
func (l *lesson) check(exercise int, given string) (right bool, err error) {
	if exercise < 1 || exercise > len(l.exercises) {
		return false, fmt.Errorf("lesson %d has no exercise %d: its exercises are 1 to %d", l.number, exercise, len(l.exercises))
	}
	want, tolerance, numeric := strings.Cut(l.exercises[exercise-1].answer, " ± ")
	given = strings.TrimSpace(given)
	if !numeric {
		letter := strings.TrimSuffix(given, ")")
		if len(letter) != 1 {
			return false, errors.New("the answer is the letter of a choice, such as a")
		}
		return strings.EqualFold(letter, want), nil
	}
	x, err := number(given)
	if err != nil {
		return false, err
	}
	y, err1 := number(want)
	d, err2 := number(tolerance)
	near := func(x float64) bool { return math.Abs(x-y) <= d*(1+1e-9) }
	share := strings.HasSuffix(tolerance, "%") && !strings.Contains(given, "%") // 0.943 for 94.3 %
	return near(x) || share && near(100*x), errors.Join(err1, err2)
}

// number reads a number as people write it: 62.2, −1,5, 94,3 %, 1 200, ln 2, 3.77/48.
func number(text string) (float64, error) {
	plain := strings.NewReplacer("−", "-", ",", ".", "%", "", " ", "", "\u00a0", "", "\u202f", "", "(", "", ")", "").Replace(text)
	above, below, isFraction := strings.Cut(plain, "/")
	x, err := part(above)
	if isFraction {
		y, err2 := part(below)
		x, err = x/y, errors.Join(err, err2)
	}
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("the answer is a number, such as 0.5, 94,3 %% or ln 2; %q is none", text)
	}
	return x, nil
}

// part reads a number, or the natural logarithm of one.
func part(text string) (float64, error) {
	if argument, ok := strings.CutPrefix(text, "ln"); ok {
		x, err := strconv.ParseFloat(argument, 64)
		return math.Log(x), err
	}
	return strconv.ParseFloat(text, 64)
}
