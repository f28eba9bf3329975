package models

import "strings"

// letters are what equations call the weights of these names.
var letters = map[string]string{
	"query.W": "Q", "value.W": "V", "value.b": "c", "context.W": "W_c",
	"ffn1.W": "W₁", "ffn1.b": "b₁", "ffn2.W": "W₂", "ffn2.b": "b₂",
}

// letter is what equations call a weight: by its own letter, as W₁ of attention.W1, or by
// that of its matrix, as Q of layer1.Q.W.
func letter(name string) string {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	if len(parts) > 1 {
		before := parts[len(parts)-2]
		if l := letters[before+"."+last]; l != "" {
			return l
		}
		if last == "W" && len(before) == 1 && before[0] <= 'Z' {
			return before
		}
	}
	if n := len(last); n == 2 && last[1] >= '0' && last[1] <= '9' {
		return last[:1] + string('₀'+rune(last[1]-'0'))
	}
	return last
}
