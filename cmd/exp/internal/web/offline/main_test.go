package offline_test

import (
	"os"
	"testing"

	"imdbexp/internal/testkit/testbrowser"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer testbrowser.Close()
	return m.Run()
}
