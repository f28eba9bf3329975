package settings

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func zeroText(k reflect.Kind) string {
	if k == reflect.Bool {
		return "false"
	}
	return "0"
}

// set parses text into the field and stores its canonical form.
func (e *entry) set(text string) error {
	bad := func(want string) error {
		if strings.ContainsAny(text, "\n\r") { // a message is one line
			text = strconv.Quote(text)
		}
		return fmt.Errorf("setting %s=%s: %s", e.Key, text, want)
	}
	if e.Choices != nil && !slices.Contains(e.Choices, text) {
		return bad("use one of " + strings.Join(e.Choices, ", ") + Nearest(text, e.Choices))
	}
	switch f := e.field; f.Kind() {
	case reflect.String:
		f.SetString(text)
		e.value = text
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return bad("want true or false")
		}
		f.SetBool(v)
		e.value = strconv.FormatBool(v)
	case reflect.Int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return bad("want a whole number" + several(text, severalWhole))
		}
		if err := e.within(float64(v), bad); err != nil {
			return err
		}
		f.SetInt(int64(v))
		e.value = strconv.Itoa(v)
	case reflect.Uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return bad("want a whole number, 0 or more" + several(text, severalWhole))
		}
		f.SetUint(v)
		e.value = strconv.FormatUint(v, 10)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("want a number" + several(text, severalReal))
		}
		if err := e.within(v, bad); err != nil {
			return err
		}
		v += 0 // turns −0 into 0, so that they have one digest
		f.SetFloat(v)
		e.value = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return bad("unsupported type " + f.Kind().String())
	}
	return nil
}

// How to write several values, in messages; only text with a range in it is followed by them.
const (
	severalWhole = "; several are 1,2,5 or 1..5"
	severalReal  = "; several are 0.1,0.01 or log:1e-4..1e-1/4, and an interval is for --search random"
)

// several returns the hint for text that looks like a range of values.
func several(text, hint string) string {
	if first, last, is := strings.Cut(strings.Replace(text, "..", "-", 1), "-"); is && first != "" && last != "" {
		return hint
	}
	return ""
}

func (e *entry) within(v float64, bad func(string) error) error {
	if lo, err := strconv.ParseFloat(e.above, 64); e.above != "" && (err != nil || v <= lo) {
		return bad("want more than " + e.above)
	}
	if lo, err := strconv.ParseFloat(e.min, 64); e.min != "" && (err != nil || v < lo) {
		return bad("want " + e.min + " or more")
	}
	if hi, err := strconv.ParseFloat(e.max, 64); e.max != "" && (err != nil || v > hi) {
		return bad("want " + e.max + " or less")
	}
	if hi, err := strconv.ParseFloat(e.below, 64); e.below != "" && (err != nil || v >= hi) {
		return bad("want less than " + e.below)
	}
	return nil
}
