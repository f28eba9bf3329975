//go:build !linux

package ops

// spinTime is how long an idle worker polls for the next job before it sleeps; longer times have
// not been measured here.
const spinTime = eager

func yield() {}
