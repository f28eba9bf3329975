package term

// Style is a set of terminal attributes, by SGR numbers.
type Style string

// The styles in use. They never carry a meaning that the text does not.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Marked Style = "1;30;43" // on a ground of its own: attended words
)

// Paint returns the text in a style where the output takes colour.
func (t *IO) Paint(s Style, text string) string {
	if !t.color {
		return text
	}
	return s.On(text)
}
