package models

import "imdbexp/internal/ops"

// Keys says what queries made from the mean are compared with, and how they are made:
//
//	q(t) = f(Q·x̄ + b),  αᵢ = softmaxᵢ(q(t)·k(xᵢ)),  k(x) = g(K·x + c) or x
//
// The published report has neither f nor k.
type Keys struct {
	Map   string `key:"key.map" default:"none" choices:"none|linear|relu|tanh" help:"of the words that q(t) is compared with: as they are, or g(K·x + c) with this g"`
	Query string `key:"query.activation" default:"none" choices:"none|relu|tanh" help:"f in q(t) = f(Q·mean + b)"`
}

// query returns q(t) [B, k] of the mean of rows.
func (k *Keys) query(b *Builder, mean *ops.Node) *ops.Node {
	return activate(k.Query, b.Linear("query", mean, mean.Cols())).Call("q(t)")
}

// keys returns k(x) [N, k].
func (k *Keys) keys(b *Builder, x *ops.Node) *ops.Node {
	if k.Map == "none" {
		return x
	}
	return activate(k.Map, b.Linear("key", x, x.Cols())).Call("k(·)")
}

// equation is q(t) and what it is compared with, of rows of that name.
func (k *Keys) equation(x string) []string {
	query, key := "Q·(1/n) Σᵢ "+x+"ᵢ + b", x+"ᵢ"
	if k.Query != "none" {
		query = k.Query + "(" + query + ")"
	}
	out := []string{"q(t) = " + query}
	if k.Map != "none" {
		key = "k(" + x + "ᵢ)"
		of := "K·" + x + " + c"
		if k.Map != "linear" {
			of = k.Map + "(" + of + ")"
		}
		out = append(out, "k("+x+") = "+of)
	}
	return append(out, "αᵢ = softmaxᵢ(q(t)·"+key+")")
}

// changed reports whether the settings are not the report's.
func (k *Keys) changed() bool { return k.Map != "none" || k.Query != "none" }
