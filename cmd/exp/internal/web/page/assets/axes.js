// Common parts of all drawings: an SVG as wide as its element, scales, ticks.

import { s } from "./dom.js";

// colour is the class of the i-th run's colour; there are eight that can be told apart.
export const colour = (i) => i < 8 ? `c${i}` : "more";

// ticks returns round values from low to high in about n steps, and the decimals that they need
// (Heckbert 1990, nice numbers).
export function ticks(low, high, n) {
  const rough = (high - low) / Math.max(1, n);
  if (!(rough > 0) || !Number.isFinite(rough)) return { values: [low], decimals: 2 };
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= rough * 0.999);
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) values.push(i * step);
  return { values, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

// whole returns whole values.
export function whole(low, high, n) {
  const t = ticks(low, high, n);
  return { values: t.values.filter((v) => Number.isInteger(Math.round(v * 1e6) / 1e6)), decimals: 0 };
}

// scale maps [a, b] to [from, to].
export function scale(a, b, from, to) {
  const k = b === a ? 0 : (to - from) / (b - a);
  return (v) => from + (v - a) * k;
}

// frame returns an SVG of a size in pixels with axes: x and y are
// {low, high, ticks, label, flip}; the caller draws into the group area, below a
// margin at the top and beside one on the right.
export function frame(width, height, x, y, top = 8, aside = 10) {
  const margin = { left: 46, right: aside, top, bottom: 34 };
  const right = width - margin.right, bottom = height - margin.bottom;
  const xs = scale(x.low, x.high, margin.left, right);
  const ys = y.flip ? scale(y.low, y.high, margin.top, bottom) : scale(y.low, y.high, bottom, margin.top);
  const area = s("g", { class: "area" });
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  for (const v of y.ticks.values) {
    svg.append(s("line", { class: "grid", x1: margin.left, x2: right, y1: ys(v), y2: ys(v) }));
    svg.append(s("text", { class: "tick", x: margin.left - 6, y: ys(v), "text-anchor": "end", "dominant-baseline": "central" }, v.toFixed(y.ticks.decimals)));
  }
  for (const v of x.ticks.values) {
    svg.append(s("line", { class: "axis", x1: xs(v), x2: xs(v), y1: bottom, y2: bottom + 4 }));
    svg.append(s("text", { class: "tick", x: xs(v), y: bottom + 16, "text-anchor": "middle" }, v.toFixed(x.ticks.decimals)));
  }
  svg.append(area);
  svg.append(s("line", { class: "axis", x1: margin.left, x2: right, y1: bottom, y2: bottom }));
  svg.append(s("text", { class: "label", x: (margin.left + right) / 2, y: height - 4, "text-anchor": "middle" }, x.label));
  const middle = (margin.top + bottom) / 2;
  svg.append(s("text", { class: "label", x: 10, y: middle, "text-anchor": "middle", transform: `rotate(-90 10 ${middle})` }, y.label));
  return { svg, area, xs, ys, margin, right, bottom };
}

// whenWide calls draw with the width of an element, now and after each change.
export function whenWide(element, draw) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) draw((last = width));
  }).observe(element);
}
