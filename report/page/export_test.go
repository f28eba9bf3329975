package page

import (
	"gonum.org/v1/plot"

	"imdbexp/report/canvas"
)

// Broken returns a figure that cannot be drawn.
func Broken(message string) canvas.Figure {
	return canvas.Figure{Name: "broken", Panels: func(canvas.Style) []*plot.Plot { panic(message) }}
}
