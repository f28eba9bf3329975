package testbrowser

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// walk opens and presses whatever shows texts on the page of runs, and trains.
const walk = `(async () => {
	const all = (q) => [...document.querySelectorAll(q)];
	const wait = async (ms) => {
		do await new Promise((r) => setTimeout(r, ms)); while (document.querySelector("#answers [aria-busy]"));
	};
	const text = document.querySelector("#text");
	text.value = text.value.includes(" ") && document.querySelector("#what").textContent === "Phrase" ? text.value : "the film is good xyzzy"; // short: some scores ask often
	text.dispatchEvent(new Event("input"));
	await wait(500);
	all("details").forEach((d) => (d.open = true));
	all("#runs [aria-expanded=false]").forEach((b) => b.click());
	for (const view of ["steps", "flip", "matrix"]) {
		all("[data-focus=" + view + "][aria-pressed=false]").forEach((b) => b.click());
		await wait(500);
	}
	for (const q of ["[data-focus^=step]:not([data-focus=steps])", "[data-focus=Arcs]", "[data-focus=Matrix]", "[data-focus=looking]", "[data-focus=cls]"])
		for (const f of new Set(all(q).map((b) => b.dataset.focus))) {
			all("[data-focus=" + f + "]").forEach((b) => b.click());
			await wait(150);
		}
	for (const name of ["layer", "head", "of", "by"]) {
		const n = Math.max(0, ...all("[data-focus=" + name + "]").map((s) => s.options?.length ?? 0));
		for (let i = n; i-- > 0;) {
			for (const s of all("select[data-focus=" + name + "]")) {
				if (i >= s.options.length) continue;
				s.selectedIndex = i;
				s.dispatchEvent(new Event("change"));
			}
			await wait(250);
		}
	}
	for (const box of all("#answers .text")) for (const key of ["ArrowRight", "Delete"]) box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
	for (const plot of all("#curves .plot")) plot.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
	for (const s of all("#of, #place, #example")) for (let i = s.options.length; i-- > 0;) {
		s.selectedIndex = i;
		s.dispatchEvent(new Event("change"));
		await wait(300);
	}
	document.body.dataset.walked = "yes";
})()`

// english are the texts of the French page that stay as they are: those without a translation, and decimal points.
const english = `[...document.documentElement.untranslated, ...(() => {
	const out = [];
	for (const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); texts.nextNode();) {
		const t = texts.currentNode;
		if (/(^|[^\w.=@\/-])\d+\.\d/.test(t.data) && !t.parentElement.closest("[translate=no], code, pre, script, noscript, style, textarea")) out.push("decimal point: " + t.data.trim());
	}
	return out;
})(), ...(document.documentElement.lang === "fr" ? [] : ["language " + document.documentElement.lang])].join("\n")`

// French walks through the page of runs, which is in French, and fails if a text is in English. It may have names of
// runs, settings and texts, and classes.
func (b *Tab) French() {
	b.t.Helper()
	b.JS(walk)
	for range 60 { // it may ask slow models
		if time.Sleep(2 * time.Second); b.Text(`document.body.dataset.walked`) == "yes" {
			break
		}
	}
	b.Sees("yes", `document.body.dataset.walked`)
	b.JS(`document.querySelector("#training").requestSubmit()`)
	b.Sees("Entraîné en", `document.querySelector("#told").textContent.slice(0, 11)`)
	run := `(?:tme[\w-]+|nbsvm|seq2seq-[\w-]+)(?:/[0-9a-f]+|(?: [^ ,]+=\S+| adam| sgd| newton| sample| [0-9a-f]{6})*(?: ?\S*…)?)`
	name := regexp.MustCompile(`^(?:` + run + `(?:, ` + run + `)*|(?:neg|pos)(?: [\d.,]+ %)?|adam|newton|sample|phrases|default|lr|imdbexp:.*|` +
		`(?:(?:adam|newton), )?[\w.]+=\S+(?:,? [\w.]+=\S+)*|test/[\w, /]+|\[CLS\]|LIME|metrics\.jsonl|"[^"]+"(?: \(\d+\).*)?)[:;.,]?$`)
	var left []string
	for _, text := range strings.Split(b.Text(english), "\n") {
		if text != "" && !name.MatchString(text) {
			left = append(left, text)
		}
	}
	require.Empty(b.t, left, fmt.Sprintf("%d texts in English", len(left)))
}
