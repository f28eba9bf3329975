//go:build js

package main

import (
	"encoding/json"
	"syscall/js"

	"imdbexp/cmd/exp/internal/handout/inpage"
	"imdbexp/runs"
)

// train starts a training in a worker, which tells of it by messages: {kind, value} with
// the value as JSON, and of the model as bytes.
func train(_ js.Value, args []js.Value) any {
	question := args[0].String()
	post := func(kind string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			kind, text = "failed", []byte(`"`+kind+` has no JSON"`)
		}
		js.Global().Call("postMessage", map[string]any{"kind": kind, "value": string(text)})
	}
	go func() { // what is not finished when this function returns may wait for the browser
		err := inpage.Train(question, inpage.Listener{
			Began: func(b inpage.Began) { post("began", b) },
			Moved: func(m inpage.Moved) { post("moved", m) },
			Epoch: func(m runs.Metrics) { post("epoch", m) },
			Look:  func(l inpage.Looked) { post("look", l) },
			Ended: func(e inpage.Ended) { post("ended", e) },
			Model: func(table, model []byte) {
				js.Global().Call("postMessage", map[string]any{"kind": "model", "table": array(table), "model": array(model)})
			},
		})
		if err != nil {
			post("failed", err.Error())
		}
	}()
	return nil
}

// offered returns what can be trained, as JSON.
func offered(js.Value, []js.Value) any {
	list, err := inpage.Offered()
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"value": string(text)}
}

func array(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}
