package testbrowser

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// named are the roles whose elements a screen reader calls by a name.
var named = []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "progressbar", "table", "image", "region", "navigation"}

// loose lists duplicate ids, and ids that ARIA attributes or labels name and no element has.
const loose = `[...[...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + CSS.escape(e.id)).length > 1).map((e) => e.id),
	...["aria-labelledby", "aria-describedby", "aria-controls", "for"].flatMap((a) => [...document.querySelectorAll("[" + a + "]")].flatMap((e) => e.getAttribute(a).split(/\s+/)).filter((id) => !document.getElementById(id)))].join(", ")`

// faint lists the texts with less contrast to their background than WCAG 2.2 requires (1.4.3).
const faint = `(() => {
	const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
	const rgba = (colour) => {
		pen.clearRect(0, 0, 1, 1);
		pen.fillStyle = colour;
		pen.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
	const ground = (e) => !e ? [255, 255, 255] : over(rgba(getComputedStyle(e).backgroundColor), ground(e.parentElement));
	const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * (c[i] <= 10 ? c[i] / 255 / 12.92 : ((c[i] / 255 + 0.055) / 1.055) ** 2.4), 0);
	const out = new Set();
	for (const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); texts.nextNode();) {
		const e = texts.currentNode.parentElement, style = getComputedStyle(e);
		if (!texts.currentNode.textContent.trim() || !e.checkVisibility() || e.closest(":disabled")) continue;
		const under = ground(e), [a, b] = [over(rgba(e.closest("svg") ? style.fill : style.color), under), under].map(luminance).sort((x, y) => y - x);
		const large = parseFloat(style.fontSize) >= (Number(style.fontWeight) >= 700 ? 18.66 : 24);
		if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) out.add(texts.currentNode.textContent.trim().slice(0, 20) + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
	}
	return [...out].join(", ");
})()`

// Accessible checks the page for readers with low or no vision: every control has a name, references
// have targets, and contrast is sufficient in light and dark.
func (b *Tab) Accessible() {
	b.t.Helper()
	tree := must.Get(chromedp.Call(b.Context, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}))(b.t)
	var nameless []string
	for _, n := range tree.Nodes {
		var role, name string
		if !n.Ignored && n.Role != nil && json.Unmarshal(n.Role.Value, &role) == nil && slices.Contains(named, role) {
			if n.Name != nil {
				require.NoError(b.t, json.Unmarshal(n.Name.Value, &name))
			}
			if name == "" {
				nameless = append(nameless, fmt.Sprintf("%s %d", role, n.BackendDOMNodeID))
			}
		}
	}
	require.Empty(b.t, nameless, "nothing to read out")
	require.Empty(b.t, b.Text(loose), "ids")
	for _, theme := range []string{"dark", "light"} {
		b.Media("screen", theme)
		require.Empty(b.t, b.Text(faint), "contrast, "+theme)
	}
}

// Media shows the page on paper ("print") or a screen, light or dark.
func (b *Tab) Media(media, theme string) {
	b.t.Helper()
	must.Get(chromedp.Call(b.Context, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}))(b.t)
}
