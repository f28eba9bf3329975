package experiments

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// translates reports whether a model translates sentence pairs; all others classify
// reviews.
func translates(m models.Model) bool {
	_, ok := m.(models.Translator)
	return ok
}

// Translates reports whether the run learns to translate sentence pairs.
func (p *Plan) Translates() bool { return translates(p.Model) }

// autoData is what data=auto means to a model, where auto is what it means to models
// of reviews.
func autoData(m models.Model, auto string) string {
	if translates(m) {
		return dataset.Phrases
	}
	return auto
}

// reviewsOnly are the settings, or the beginnings of their keys, that mean nothing to
// a model that translates, with what there is instead.
var reviewsOnly = []struct{ key, instead string }{
	{"vectors", "a model that translates trains embeddings of its own, for the words of its training pairs"},
	{"oov", "a word that the training pairs do not have has a learned embedding"},
	{"slip.whitespace", "tokens=whitespace splits sentences at blanks alone"},
	{"slip.choose_on_test", "select=best chooses by the validation pairs"},
	{"slip", "it is a slip of published code for reviews"},
}

// ofReviews reports whether a setting means nothing to a model that translates, and
// what there is instead.
func ofReviews(key string) (instead string, is bool) {
	for _, r := range reviewsOnly {
		if key == r.key || strings.HasPrefix(key, r.key+".") {
			return r.instead, true
		}
	}
	return "", false
}

// OfReviews reports whether a setting means something to models that classify
// reviews alone.
func OfReviews(key string) bool {
	_, is := ofReviews(key)
	return is
}

// Settings returns the settings that mean something to the plan's model, in the order
// of their declaration.
func (p *Plan) Settings() []settings.Setting {
	return slices.DeleteFunc(p.Set.All(), func(s settings.Setting) bool {
		return p.Translates() && OfReviews(s.Key)
	})
}

// checkPairs refuses settings that would have no effect on a translation.
func (p *Plan) checkPairs() error {
	for _, s := range p.Set.All() {
		if instead, is := ofReviews(s.Key); is && s.Changed() {
			return fmt.Errorf("%s=%s is of models that classify reviews: leave it out; %s", s.Key, s.Value, instead)
		}
	}
	return nil
}
