package scores

// Few limits the words that leave-one-out holds at once, until restore is called.
func Few(words int) (restore func()) {
	before := maxRows
	maxRows = words
	return func() { maxRows = before }
}
