package fetch

// For fuzzing without a server.
var (
	Find         = find
	ContentRange = contentRange
)
