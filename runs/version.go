package runs

import "strings"

// ResultVersion is the newest version that results of this program have, see
// PresentVersion.
const ResultVersion = 4

// PresentVersion returns the result version that runs with those settings have now.
// It goes into a run's ID, and is raised whenever the goldens change and no digest of
// data or vectors in the ID says so already, so that old results are never taken for
// new ones; only that of the runs whose numbers change:
//
//	4  with average, of models that translate or have heads, where these were not those of the
//	   mean already: translations, and the likeness of heads, were of the weights of the last
//	   step.
//	3  with slip.pad and batch norm, but not slip.pad_statistics: padding is left out of
//	   the statistics, where it used to count.
//	2  with slip.batch_slot_norm: a review's slot is its place in the batch as drawn.
//	   Before, it was the place by falling length and then by index, which told of the
//	   length and, of reviews cut to data.max_len, of the label.
//	1  all others
func PresentVersion(setting func(key string) string) int {
	on := func(slip string) bool { return setting(slip) == "true" }
	set := func(key string) bool { v := setting(key); return v != "" && v != "0" }
	switch {
	case set("average") && (lookedAway(setting) && setting("heads.penalty") != "" || translatedLast(setting) && setting("beam") != ""):
		return 4
	case on("slip.batch_slot_norm"):
		return 2
	case on("slip.pad") && setting("norm") == "batch" && !on("slip.pad_statistics"):
		return 3
	}
	return 1
}

// lookedAway reports whether there are epochs after which nothing is evaluated.
func lookedAway(setting func(key string) string) bool {
	test, every, patience := setting("test"), setting("test.every"), setting("patience")
	each := (test == "" || test == "each") && (every == "" || every == "1")
	return !each && setting("select") != "best" && (patience == "" || patience == "0")
}

// translatedLast reports whether test is translated by weights that have not been read back
// from a checkpoint.
func translatedLast(setting func(key string) string) bool {
	test := setting("test")
	return test != "never" && !(test == "last" && setting("select") == "best")
}

// Behind returns how many result versions lie between the run and those that its
// settings would give now: 0 for present ones, less for those of a newer program.
func (c *Config) Behind() int { return PresentVersion(c.Setting) - c.Result }

// TME 10 had one original before it was known that the published code did not make the
// published figures: the code, which is its variant=code now. That one alone sets this slip.
const codeSlip = "slip.batch_slot_norm"

// rename gives a run of the time before the name that its variant has now. The variant is
// a label: the ID stays.
func (c *Config) rename() {
	const old = "original"
	if c.Variant != old || c.From[codeSlip] != "variant="+old {
		return
	}
	c.Variant = "code"
	for i, s := range c.Settings {
		if s.Key == "variant" {
			c.Settings[i].Value = c.Variant
		}
	}
	for key, from := range c.From {
		if strings.HasPrefix(from, "variant=") {
			c.From[key] = "variant=" + c.Variant
		}
	}
}
