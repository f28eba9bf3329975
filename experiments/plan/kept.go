package plan

import (
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// SettingsOf returns the settings of a kept run with their descriptions. A setting that this
// program does not know has none.
func SettingsOf(c *runs.Config) []settings.Setting {
	var set *settings.Set
	if info, err := models.Lookup(c.Model); err == nil {
		set, _ = settings.New(&settings.Run{}, info.New())
	}
	var out []settings.Setting
	for _, v := range c.Settings {
		if !c.Uses(v.Key) {
			continue
		}
		s := settings.Setting{Key: v.Key, Default: v.Value}
		if set != nil {
			if known, ok := set.Get(v.Key); ok {
				s = known
			}
		}
		s.Value, s.From = v.Value, c.From[v.Key]
		if s.From == "" {
			s.From = "default"
		}
		out = append(out, s)
	}
	return out
}

// ModelOf returns the model of a kept run with its settings, or nil if this program does not know
// them.
func ModelOf(c *runs.Config) models.Model {
	p, err := Of(c)
	if err != nil {
		return nil
	}
	return p.Model
}
