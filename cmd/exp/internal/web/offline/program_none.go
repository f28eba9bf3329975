//go:build !page

package offline

// builtIn returns nothing: this program was built without -tags page.
func builtIn() (*Program, error) { return nil, nil }
