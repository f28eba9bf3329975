//go:build page

package offline

import "embed"

// built holds what go run ./cmd/exp/internal/web/offline/embed has put there.
//
//go:embed built
var built embed.FS

func builtIn() (*Program, error) {
	wasm, err := built.ReadFile("built/" + WasmFile)
	if err != nil {
		return nil, err
	}
	script, err := built.ReadFile("built/" + ScriptFile)
	return &Program{wasm, script}, err
}
