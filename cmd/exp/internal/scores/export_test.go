package scores

// Few lets leaving out hold so few words at once until restore is called.
func Few(words int) (restore func()) {
	before := mostRows
	mostRows = words
	return func() { mostRows = before }
}
