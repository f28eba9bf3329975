//go:build js

// Command wasm is the program in the page of exp export --page. It gives the page an object imdbexp,
// whose functions return {value} or {error}.
package main

import (
	"encoding/json"
	"syscall/js"

	"imdbexp/cmd/exp/internal/web/offline/inpage"
	"imdbexp/cmd/exp/internal/web/train"
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

// start starts a training in a worker. The worker posts messages: each train.News as JSON, and the
// model as bytes.
func start(_ js.Value, args []js.Value) any {
	question := args[0].String()
	post := func(n train.News) { js.Global().Call("postMessage", string(n.JSON())) }
	go func() { // only a goroutine can wait for the browser
		err := inpage.Train(question, post, func(table, model []byte) {
			js.Global().Call("postMessage", map[string]any{"table": array(table), "model": array(model)})
		})
		if err != nil {
			post(train.News{Kind: "failed", Value: err.Error()})
		}
	}()
	return nil
}

// offered returns what can be trained, as JSON.
func offered() (string, error) {
	list, err := train.Offered()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(list)
	return string(text), err
}

func array(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}
