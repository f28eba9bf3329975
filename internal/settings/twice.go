package settings

import (
	"fmt"
	"strings"
)

// Twice returns an error if two words set the same setting.
func Twice(words []string) error {
	seen := map[string]string{}
	for _, w := range words {
		key, value, is := strings.Cut(w, "=")
		if !is || strings.ContainsAny(key, `/\\`) { // the path of a file
			continue
		}
		if first, again := seen[key]; again && first == w {
			return fmt.Errorf("%s is there twice: leave one out", w)
		} else if again {
			return fmt.Errorf("%s is given twice, %s and %s: leave one out; a grid of both is %s,%s", key, first, w, first, value)
		}
		seen[key] = w
	}
	return nil
}
