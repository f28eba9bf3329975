package memory

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// MaxGarbage is about what Settle lets garbage take.
const MaxGarbage = 192 << 20

// Settle bounds garbage once much has been loaded that stays: otherwise it is collected only
// when it takes as much as all that is kept. A user's $GOGC holds.
func Settle() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
}

// percent is that of the objects on the heap that garbage may take; less than 20 would cost
// more time than memory is worth.
func percent(objects uint64) int {
	return int(min(max(100*MaxGarbage/max(1, objects), 20), 100))
}
