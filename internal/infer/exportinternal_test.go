package infer

import "imdbexp/runs"

// ConfigJSON is for tests of its own.
func ConfigJSON(c *runs.Config) (string, error) { return configJSON(c) }
