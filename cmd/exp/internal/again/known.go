package again

import (
	"imdbexp/experiments/task"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Settings joins a run's settings with what this program knows about them; one that
// it does not know any more is shown as it is.
func Settings(c *runs.Config) []settings.Setting {
	var set *settings.Set
	if info, err := models.Lookup(c.Model); err == nil {
		set, _ = settings.New(&settings.Run{}, info.New())
	}
	var out []settings.Setting
	for _, v := range c.Settings {
		if !task.OfRun(c).Uses(v.Key) {
			continue
		}
		s := settings.Setting{Key: v.Key, Default: v.Value}
		if set != nil {
			if k, ok := set.Get(v.Key); ok {
				s = k
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

// Model returns the model of a run with the settings that it had, or nil where
// this program does not know them.
func Model(c *runs.Config) models.Model {
	info, err := models.Lookup(c.Model)
	if err != nil {
		return nil
	}
	m := info.New()
	set, err := settings.New(&settings.Run{}, m)
	if err != nil || set.Apply("", c.Settings.Assignments()...) != nil {
		return nil
	}
	return m
}
