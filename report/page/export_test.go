package page

import (
	"errors"

	"gonum.org/v1/plot"

	"imdbexp/report/picture"
)

// Broken returns a figure that cannot be drawn.
func Broken(message string) picture.Figure {
	return picture.Figure{Name: "broken", Panels: func(picture.Style) ([]*plot.Plot, error) { return nil, errors.New(message) }}
}
