package runs

import "strings"

// Ignored lists settings, or the first parts of their keys, that have no effect on the models of a kind of data, each
// with the reason.
type Ignored []struct{ key, why string }

// IgnoredOn has the settings without an effect for each kind of data. On labelled reviews every setting has one.
var IgnoredOn = map[string]Ignored{
	NgramsKind: {
		{"vectors", "n-grams have weights and no vectors"},
		{"oov", "a word that train does not have is part of no n-gram"},
		{"word.dropout", "its solver sees all of train at each step"},
		{"average", "its solver ends at the minimum of the loss"},
		{"batch", "its solver sees all of train at each step"},
		{"clip", "its solver chooses its steps"},
		{"optimizer", "its solver is a trust-region Newton method"},
		{"lr", "its solver chooses its steps"},
		{"momentum", "its solver chooses its steps"},
		{"adam", "its solver is a trust-region Newton method"},
		{"weight_decay", "c weighs the loss against the size of the weights"},
		{"schedule", "its solver chooses its steps"},
		{"slip.whitespace", "tokens=whitespace splits reviews at blanks alone"},
		{"slip", "it is a slip of published code for networks"},
	},
	PairsKind: {
		{"data.exclude", "a probe has labelled texts"},
		{"data.test_seed", "it divides labelled texts"},
		{"vectors", "a translator trains its own embeddings, for the words of its training pairs"},
		{"oov", "a word that the training pairs do not have has a learned embedding"},
		{"word.dropout", "a translator has dropout in its sublayers"},
		{"slip.whitespace", "tokens=whitespace splits sentences at blanks alone"},
		{"slip.choose_on_test", "select=best chooses by the validation pairs"},
		{"class.weights", "sentence pairs have no classes"},
		{"slip", "it is a slip of published code for reviews"},
	},
	TextsKind: {
		{"class.weights", "texts without labels have no classes"},
		{"vectors.train", "the vectors of the words are what it guesses"},
		{"vectors.adam", "the vectors of the words are what it guesses"},
		{"vectors.lr", "the vectors of the words are what it guesses"},
		{"vectors.ngrams", "it guesses words"},
		{"vectors.ngram_min", "it guesses words"},
		{"word.dropout", "it would guess words that do not follow"},
		{"dropout", "it has no classifier"},
		{"pool", "it has no classifier"},
		{"label_smoothing", "it has no classifier"},
		{"slip.whitespace", "tokens=whitespace splits texts at blanks alone"},
		{"slip", "it is a slip of published code for reviews"},
	},
}

// Find reports whether a setting is in the list, and why it has no effect.
func (list Ignored) Find(key string) (why string, is bool) {
	for _, m := range list {
		if key == m.key || strings.HasPrefix(key, m.key+".") {
			return m.why, true
		}
	}
	return "", false
}

// Has reports whether a setting is in the list.
func (list Ignored) Has(key string) bool {
	_, is := list.Find(key)
	return is
}

// Uses reports whether a general setting has an effect on the run's model.
func (c *Config) Uses(key string) bool {
	return !IgnoredOn[c.Data.Kind].Has(key)
}

// Used returns the text of a setting; "" if the run's model does not have it, or it has no effect on the model.
func (c *Config) Used(key string) string {
	if !c.Uses(key) {
		return ""
	}
	return c.Setting(key)
}
