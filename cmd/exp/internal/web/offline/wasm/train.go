//go:build js

package main

import (
	"encoding/json"
	"syscall/js"

	"imdbexp/cmd/exp/internal/web/offline/inpage"
	"imdbexp/cmd/exp/internal/web/train"
)

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
