package offline_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/web/page"
)

// over are the elements that run over the edge, of the page or of what they stand in.
const over = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > Math.min(innerWidth, e.closest("section")?.getBoundingClientRect().right ?? innerWidth) + 1 && !e.closest(".scroll")).map((e) => e.tagName + "." + e.className).join(" ")`

// cut are tables that a sheet of paper would cut off.
const cut = `[...document.querySelectorAll(".scroll table")].filter((t) => t.checkVisibility() && t.getBoundingClientRect().right > t.closest("section").getBoundingClientRect().right + 1).map((t) => t.textContent.slice(0, 30)).join(" ")`

// A reader chooses a text and types one, takes words away, goes through the steps, and looks
// at all words at once; nothing runs over the edge of a phone.
func TestBrowserPage(t *testing.T) {
	one, simple := trained(t, "tme9-simple")
	two, self := trained(t, "tme10-cls layers=2 heads=2")
	first := "the film is <b>good</b> but the story is a mess"
	b := show(t, &offline.Page{Title: "exp: <two>", Version: "v1", Runs: []offline.Run{onPage(one, simple), onPage(two, self)},
		Examples: []page.Example{{ID: "test/pos/1", Label: "pos", Predicted: "neg", Text: first}, {ID: "test/pos/2", Text: "a film"}}})
	b.Sees("exp: <two>", `document.title`)
	b.Sees(first, `document.querySelector("#answers section:nth-child(1) .text").textContent`)
	b.Sees("2", `document.querySelectorAll("#answers section").length`)
	b.Sees("2", `document.querySelectorAll("#runs tbody tr").length`)
	b.Sees("true", `document.querySelector("#compare table").textContent.includes("test accuracy (%)") && document.querySelector("#compare table").textContent.includes("layers")`)
	b.Sees("3", `document.querySelectorAll("#curves figure:not([hidden])").length`)
	b.Sees("true", `document.querySelectorAll("#entropy path.ridge").length === 2`)
	b.JS(`const of = document.querySelector("#of"); of.value = [...of.options].find((o) => o.text.startsWith("tme10")).value; of.dispatchEvent(new Event("change"))`)
	b.Sees("false", `document.querySelector("#place-box").hidden`)
	b.JS(`document.querySelector("input[name=split][value=train]").click()`)
	b.Sees("0", `document.querySelectorAll("#curves .curve.train").length`)
	b.Sees("test/pos/1, pos (predicted: neg)", `document.querySelector("#example").selectedOptions[0].text`)

	b.Do(chromedp.Focus("#text"))
	b.JS(`document.getElementById("text").value = ""`)
	b.Keys("not a good film")
	b.Sees("not a good film", `document.querySelector("#answers section:nth-child(2) .text").textContent`)
	b.Sees("your own text", `document.querySelector("#example").selectedOptions[0].text`)
	b.Sees("not a good film", `new URLSearchParams(location.hash.slice(1)).get("text")`)

	b.Do(chromedp.Click("#answers section:nth-child(1) .word[data-word='3']")) // good is taken away, in both
	b.Sees("good good", `[...document.querySelectorAll("#answers .gone")].map((g) => g.textContent).join(" ")`)
	b.Sees("3 3", `[...document.querySelectorAll("#answers .text")].map((p) => p.querySelectorAll(".word").length).join(" ")`)
	b.Sees("4", `document.querySelectorAll("#answers .by").length`)
	b.Sees("true", `document.querySelector("#said").textContent.startsWith("Without “good”: tme9-simple ")`)
	b.Sees("true", `document.activeElement === document.querySelector("#answers section:nth-child(1) .text")`)
	for _, key := range []string{"ArrowRight", "Delete"} { // and not, by the keyboard
		b.JS(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key)
	}
	b.Sees("2", `document.querySelectorAll("#answers section:nth-child(1) .gone").length`)
	b.Do(chromedp.Click("#answers section:nth-child(2) .gone"))
	b.Sees("1", `document.querySelectorAll("#answers section:nth-child(1) .gone").length`)
	b.Do(chromedp.Click("#back"))
	b.Sees("0", `document.querySelectorAll("#answers .gone").length`)

	b.Do(chromedp.Click(`#answers section:nth-child(1) [data-focus=steps]`))
	b.Sees("1 Scores", `document.querySelector(".steps [aria-pressed=true]").textContent`)
	b.Sees("steps", `document.activeElement.dataset.focus`)
	b.Do(chromedp.Click(`.steps [data-focus=step3]`))
	b.Sees("not a good film bias logit", `[...document.querySelectorAll(".step:not(.shut) table")[0].querySelectorAll("tbody th, tfoot th")].map((c) => c.textContent).join(" ")`)
	const by = `const by = document.querySelector("#answers section:nth-child(1) [data-focus=by]"); by.value = %q; by.dispatchEvent(new Event("change"))`
	for score, want := range map[string]string{"leaveout": "leave one out. What the margin of the class loses", "gradient": "gradient × input. xᵢ·∂m/∂xᵢ", "norms": "value-weighted norm. "} {
		b.JS(by, score)
		b.Sees("true", fmt.Sprintf(`document.querySelector("#answers section:nth-child(1) .what").textContent.includes(%q)`, want))
		b.Sees(score, `document.querySelector("#answers section:nth-child(1) [data-focus=by]").value`)
	}

	b.Do(chromedp.Click(`#answers section:nth-child(2) [data-focus=matrix]`))
	b.Sees("10", `document.querySelectorAll(".arcword").length`)
	b.Do(chromedp.Click(`.steps [data-focus=Matrix]`))
	b.Sees("25", `document.querySelectorAll(".matrix td.weight").length`)
	b.JS(`const l = document.querySelector("[data-focus=layer]"); l.value = "1"; l.dispatchEvent(new Event("change"))`)
	b.Sees("true", `document.querySelector("#answers section:nth-child(2) .what").textContent.includes("layer 1 of 2")`)
	b.JS(`document.querySelector("#answers section:nth-child(2) .text .word").dispatchEvent(new MouseEvent("click", {bubbles: true, shiftKey: true}))`)
	b.Sees("true", `document.querySelector("#answers section:nth-child(2) .what").textContent.includes('word 1, "not"')`)

	b.Sees("neg pos neg pos", `[...document.querySelectorAll("#answers .classes th")].map((t) => t.textContent).join(" ")`)
	b.JS(`document.querySelector("nav a[href='#train-head']").click()`) // the address keeps the text
	b.Sees("train-head not a good film", `document.activeElement.id + " " + new URLSearchParams(location.hash.slice(1)).get("text")`)
	b.Sees("[]", `JSON.stringify([...document.querySelectorAll("nav a")].filter((a) => a.hidden))`)
	b.Accessible()
	b.Do(chromedp.EmulateViewport(700, 990)) // between the margins of A4
	b.Media("print", "light")
	b.Sees("", cut)
	b.Media("", "light")

	for _, width := range []int64{320, 390} { // a screen of 1280 at 400 %, and a phone
		b.Do(chromedp.EmulateViewport(width, 844))
		b.Sees("", over)
	}
	b.JS(`document.getElementById("text").value = ""; document.getElementById("text").dispatchEvent(new Event("input"))`)
	b.Sees("true", `document.getElementById("answers").hidden`)
	b.JS(`document.getElementById("example").value = "1"; document.getElementById("example").dispatchEvent(new Event("change"))`)
	b.Sees("true", `document.querySelector("#said").textContent.startsWith("tme9-simple ")`)
	b.Sees("", over)
}

// A reader asks runs for translations: words taken away, how each word came about, and what
// it looked at, with numbers.
func TestBrowserTranslations(t *testing.T) {
	one, plain := trained(t, "seq2seq-plain")
	two, luong := trained(t, "seq2seq-luong")
	b := show(t, &offline.Page{Title: "two", Runs: []offline.Run{onPage(two, luong), onPage(one, plain)},
		Examples: []page.Example{{ID: "test/0001", Text: "the red wine is on the table", Reference: "le vin", Sentence: true}}})
	b.Sees("the red wine is on the table", `document.querySelector("#answers section:nth-child(1) .text").textContent`)
	b.Sees("true", `document.querySelector("#answers").textContent.includes("reference: le vin")`)
	b.Sees("1", `document.querySelectorAll("#answers .matrix").length`)
	b.Sees("7", `document.querySelectorAll("#answers .matrix thead th").length`)
	const second = `document.querySelector("#answers section:nth-child(1)")`
	b.Do(chromedp.Click("#answers section:nth-child(1) [data-focus=word0]"))
	b.Sees("true", second+`.querySelector(".what").textContent.startsWith("Shaded: the attention")`)
	b.Do(chromedp.Click("#answers section:nth-child(1) [data-focus=steps]"))
	b.Sees("1 Scores 2 Softmax 3 Weighted values 4 Next word", `[...`+second+`.querySelectorAll("[aria-label=steps] button")].map((b) => b.textContent).join(" ")`)
	b.Do(chromedp.Click("#answers section:nth-child(1) .text .word[data-word='2']"))
	b.Sees("2", `document.querySelectorAll("#answers .gone").length`)
	b.Sees("6", `document.querySelectorAll("#answers .matrix thead th").length`)
	b.JS(`const top = document.querySelector("[data-focus=top]"); top.value = "7"; top.dispatchEvent(new Event("change"))`)
	b.Sees("7", `document.querySelector("#answers .best").tBodies[0].rows.length`)
	b.Do(chromedp.EmulateViewport(390, 844))
	b.Sees("", over)
}
