package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/testbrowser"
)

// In Firefox and in the engine of Safari the page says and trains the same bits as the
// command; a reader takes words away there, goes through the steps, and sees nothing run
// over the edge. EXP_SHOTS=DIR keeps pictures.
func TestBrowserOthers(t *testing.T) {
	texts, _ := reviews(t, 20)
	p := &offline.Page{Title: "exp: other browsers", Version: "v1", Examples: []page.Example{{ID: "test/pos/1", Label: "neg", Text: "the film is not good , and the plot of it is boring"}}}
	for _, words := range []string{"tme9-simple", "tme9-lstm", "tme10-cls layers=2 heads=2"} {
		run, m := trained(t, words)
		p.Runs = append(p.Runs, onPage(run, m))
	}
	address := written(t, p)
	for _, name := range testbrowser.Others {
		t.Run(name, func(t *testing.T) {
			shots := os.Getenv("EXP_SHOTS")
			for _, dark := range []bool{false, true} {
				if dark && shots == "" { // nothing but its colours
					return
				}
				b := testbrowser.Drive(t, name, dark, time.Hour)
				t.Log(b.About)
				b.Size(1280, 1000)
				b.To(address)
				b.Sees("true", `document.body.hasAttribute("data-ready")`)
				b.Sees(fmt.Sprint(dark), `matchMedia("(prefers-color-scheme: dark)").matches`)
				if !dark {
					sameBits(t, p, &b.Page, texts)
					b.JS(`document.querySelector("#answers .word[data-word='2']").click()`)
					b.Sees("3", `document.querySelectorAll("#answers .gone").length`)
					b.JS(`document.querySelector("#back").click()`)
					b.JS(`const w = document.getElementById("experiment"); w.value = "tme9-values"; w.dispatchEvent(new Event("change"))`)
					trains(t, &b.Page, "tme9-values")
					b.JS(`document.querySelector("#result button").click()`)
					b.Sees("4", `document.querySelectorAll("#answers section").length`)
				}
				b.JS(`const by = document.querySelector("#answers section:nth-child(1) [data-focus=by]"); by.value = "integrated"; by.dispatchEvent(new Event("change"))`)
				b.JS(`document.querySelector("#answers section:nth-child(2) [data-focus=steps]").click()`)
				b.JS(`document.querySelector("#answers section:nth-child(3) [data-focus=matrix]").click()`)
				b.Sees("true", `document.querySelectorAll("#answers .steps").length === 2`)
				for _, width := range []int{390, 1280, 1920} {
					b.Size(width, 1200)
					b.JS(`document.documentElement.style.width = "%dpx"`, width) // WebKit's window is no narrower than its bar
					b.Sees("", over)
					if shots != "" {
						for k, at := range []string{"header", "#answers section:nth-child(2)", "#answers section:nth-child(2) .largest", "#train"} {
							b.JS(`document.querySelector(%q).scrollIntoView()`, at)
							b.Shot(filepath.Join(shots, fmt.Sprintf("%s-%d-%t-%d.png", name, width, dark, k)))
						}
					}
				}
			}
		})
	}
}
