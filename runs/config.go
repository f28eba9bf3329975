package runs

import (
	"imdbexp/internal/settings"
)

// Config says what a run is: everything needed to do it again, and what it is
// compared with.
type Config struct {
	Format   int               `yaml:"format"`
	Name     string            `yaml:"name"`    // experiment, such as tme9-lstm; the folder's name
	ID       string            `yaml:"id"`      // first 12 hexadecimal digits of Digest; the folder's name
	Digest   string            `yaml:"digest"`  // SHA-256 of all that changes the result
	Lineage  string            `yaml:"lineage"` // the same without epochs and test.tail: equal for a run and its extension
	Result   int               `yaml:"result"`  // result version of the program, raised when goldens change
	Model    string            `yaml:"model"`
	Variant  string            `yaml:"variant,omitempty"` // label such as original or default
	Settings Values            `yaml:"settings"`          // all of them, resolved
	From     map[string]string `yaml:"from,omitempty"`    // who set each one that is not at its default
	Digests  map[string]string `yaml:"digests,omitempty"` // content digests: data, vectors, …
	Table    string            `yaml:"table,omitempty"`   // digest of the words and vectors in the store; of a translation run that of its Vocabularies, of one that counts n-grams of its Features
	Classes  Names             `yaml:"classes"`
	Data     DataFacts         `yaml:"data"`

	// Published is the row that this run repeats, nil where there is none. It
	// changes no result.
	Published *Published `yaml:"published,omitempty"`
}

// DataFacts says how much a run saw of what.
type DataFacts struct {
	Name  string `yaml:"name"`           // imdb, sample, …, never auto
	Kind  string `yaml:"kind,omitempty"` // PairsKind, NgramsKind; "" for reviews as word vectors
	Train Part   `yaml:"train"`
	Valid Part   `yaml:"valid,omitempty"`
	Test  Part   `yaml:"test"`
}

// Part is the size of one split.
type Part struct {
	Reviews int `yaml:"reviews"` // or pairs
	Words   int `yaml:"words"`   // of the source language, where there are two
	Targets int `yaml:"targets,omitempty"`
}

// Unit returns what the data consists of, in the plural.
func (d DataFacts) Unit() string { return taskOf(d.Kind).Unit }

// Published is a row of a published table. Numbers that were not published are
// zero; accuracies are in percent.
type Published struct {
	Row       string  `yaml:"row"`
	TrainLoss float64 `yaml:"train_loss,omitempty"`
	TestLoss  float64 `yaml:"test_loss,omitempty"`
	TrainAcc  float64 `yaml:"train_acc,omitempty"`
	TestAcc   float64 `yaml:"test_acc,omitempty"`
	Epochs    int     `yaml:"epochs,omitempty"`
	Source    string  `yaml:"source"`
	Note      string  `yaml:"note,omitempty"`
}

// NewConfig describes a run by its settings and the content digests of what it
// reads; the rest (table, classes, data, published) is the caller's to add.
// See Identify for what makes the ID.
func NewConfig(name, model string, result int, set *settings.Set, digests map[string]string) Config {
	c := Config{Format: Format, Name: name, Model: model, Result: result, Digests: digests, From: map[string]string{}}
	for _, s := range set.All() {
		c.Settings = append(c.Settings, Value{s.Key, s.Value})
		if s.From != "default" {
			c.From[s.Key] = s.From
		}
	}
	c.Variant = c.General().Variant
	c.Digest, c.Lineage = Identify(model, result, set, digests)
	c.ID = c.Digest[:idDigits]
	return c
}

// Setting returns the text of a setting, "" for one that the run does not have: for
// settings of models, and for what shows any of them. General has the others typed.
func (c *Config) Setting(key string) string {
	v, _ := c.Settings.Get(key)
	return v
}

// Optimizer returns "adam", "sgd", …; "newton" of a run that counts n-grams, whose solver no
// setting chooses.
func (c *Config) Optimizer() string {
	if c.Counts() {
		return "newton"
	}
	return c.General().Optimizer.Optimizer
}

// General returns the settings that every run has. Those that an older run lacks have
// their defaults, which is what was done before there was the setting.
func (c *Config) General() *settings.Run { return settings.Read(c.Settings.all) }

// Epochs returns how many epochs the run was asked for.
func (c *Config) Epochs() int { return c.General().Epochs }

// Padded reports whether padding takes part as words (slip.pad, of some models): of
// how many words attention chose among, the reviews' own numbers say nothing then.
func (c *Config) Padded() bool { return c.Setting("slip.pad") == "true" }

// Seed returns the seed of the run.
func (c *Config) Seed() uint64 { return c.General().Seed }
