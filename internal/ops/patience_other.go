//go:build !linux

package ops

// patience is how long an idle worker looks for the next job before it sleeps: longer has not
// been measured here.
const patience = eager

func yield() {}
