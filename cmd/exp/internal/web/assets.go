package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/report/canvas"
)

//go:embed assets
var assets embed.FS

// contentTypes of the assets; they do not depend on the machine's own table.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// asset sends the style sheet or a script. The name has no slash, by the pattern
// of its route, and is looked up in what is part of the program.
func asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	kind := contentTypes[path.Ext(name)]
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		b, err = ask.Assets.ReadFile("assets/" + name)
	}
	if name == "figures.css" { // the report's colours
		b, err = []byte(canvas.CSS()), nil
	}
	if kind == "" || err != nil {
		return refuse(http.StatusNotFound, "there is no %q", cut(name, 100))
	}
	sum := sha256.Sum256(b)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache") // asked about every time, sent when changed
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(b))
	return nil
}
