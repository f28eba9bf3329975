//go:build js

// Command wasm is the program in the page of exp export --page. It gives the page an object imdbexp,
// whose functions return {value} or {error}.
package main

import (
	"syscall/js"

	"imdbexp/cmd/exp/internal/web/offline/inpage"
)

func main() {
	p := inpage.New()
	bytes := func(v js.Value) []byte {
		b := make([]byte, v.Length())
		js.CopyBytesToGo(b, v)
		return b
	}
	result := func(value any, err error) any {
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"value": value}
	}
	js.Global().Set("imdbexp", map[string]any{
		"model": js.FuncOf(func(_ js.Value, args []js.Value) any { return result(nil, p.Model(bytes(args[0]), bytes(args[1]))) }),
		"ask": js.FuncOf(func(_ js.Value, args []js.Value) any {
			answer, err := p.Ask(args[0].Int(), args[1].String())
			return result(string(answer), err)
		}),
		"offered": js.FuncOf(func(js.Value, []js.Value) any { return result(offered()) }),
		"train":   js.FuncOf(start),
	})
	select {}
}
