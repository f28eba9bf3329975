package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"imdbexp/experiments/plan"
)

// FlagError explains an error of a flag: a setting must be given as key=value, and the messages of
// strconv are for programmers.
func (a *App) FlagError(c *cobra.Command, err error) error {
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		switch name := missing.GetSpecifiedName(); {
		case name == "tensorboard":
			return Usage(fmt.Errorf("%w; exp report --tidy has the numbers for TensorBoard (docs/formats.md), and exp serve shows runs live", err))
		case takesSettings(c) && plan.IsSetting(name):
			return Usage(fmt.Errorf("%w; %s is a setting: %s=VALUE", err, name, name))
		case c.Flags().Lookup("where") != nil && (name == "tag" || plan.IsSetting(name)):
			return Usage(fmt.Errorf("%w; use --where %s=VALUE", err, name))
		}
	}
	if wrong, ok := errors.AsType[*choiceError](err); ok {
		return Usage(wrong)
	}
	text := err.Error()
	for _, p := range parsing {
		text = p.pattern.ReplaceAllString(text, p.want)
	}
	return Usage(fmt.Errorf("%s; %s --help lists the flags", text, c.CommandPath()))
}

// parsing has the errors of strconv and their explanations.
var parsing = []struct {
	pattern *regexp.Regexp
	want    string
}{
	{regexp.MustCompile(`strconv\.(Atoi|ParseInt|ParseUint): parsing ".*": .*$`), "want a whole number"},
	{regexp.MustCompile(`strconv\.ParseFloat: parsing ".*": .*$`), "want a number"},
	{regexp.MustCompile(`time: .*$`), "want a time such as 30s, 2m or 1h30m"},
	{regexp.MustCompile(`strconv\.ParseBool: parsing ".*": .*$`), "want true or false"},
}

// emptyFlag returns an error if a flag has an empty value, for example from an unset shell variable: it
// would look like a flag that was not given.
func emptyFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); err == nil && (v == "" || v == "[]") {
			err = fmt.Errorf("--%s '': want a value; see %s --help", f.Name, c.CommandPath())
		}
	})
	return err
}

// takesSettings reports whether a command accepts key=value.
func takesSettings(c *cobra.Command) bool { return strings.Contains(c.Use, "key=value") }
