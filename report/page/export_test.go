package report

import (
	"errors"

	"gonum.org/v1/plot"
)

// Broken returns a figure that cannot be drawn.
func Broken(message string) Figure {
	return Figure{Name: "broken", panels: func(style) ([]*plot.Plot, error) { return nil, errors.New(message) }}
}
