// Risk against coverage: a line for each rule, and a point at the setting chosen.

const SVG = "http://www.w3.org/2000/svg";

function draw(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function drawRisk(data, rule, level) {
  const svg = document.getElementById("risk");
  const { width, height } = svg.getBoundingClientRect();
  svg.replaceChildren();
  if (!width) return;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`); // so that it shrinks with the paper in print
  const n = data.levels.length;
  const labels = data.calibrated[0] + data.pooled[0] + data.uncalibrated[0];
  const at = (setting) => ({
    coverage: data.accepted[setting] / data.pairs,
    risk: 1 - data.right[setting] / data.accepted[setting],
  });
  const drawn = data.accepted.map((_, setting) => at(setting)).filter((p) => p.coverage > 0);
  if (!drawn.length) return;
  const least = Math.min(...drawn.map((p) => p.coverage));
  const most = Math.max(...drawn.map((p) => p.risk));
  const top = most > 0.5 ? 1 : most > 0.2 ? 0.5 : most > 0.1 ? 0.2 : 0.1;
  const [left, right, up, down] = [44, width - 8, 24, height - 40];
  const decades = Math.log10(least) - 0.05;
  const x = (coverage) => left + (1 - Math.log10(coverage) / decades) * (right - left);
  const y = (risk) => down - (Math.min(risk, top) / top) * (down - up);

  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    draw(svg, "line", { class: share ? "grid" : "axis", x1: left, x2: right, y1: y(share * top), y2: y(share * top) });
    draw(svg, "text", { x: left - 6, y: y(share * top) + 4, "text-anchor": "end" }, `${Number((100 * share * top).toPrecision(3))} %`);
  }
  let free = Infinity;
  for (const tick of ticks(least)) {
    if (x(tick) > free - 48) continue;
    free = tick === 1 ? right - 20 : x(tick);
    draw(svg, "line", { class: "axis", x1: x(tick), x2: x(tick), y1: down, y2: down + 4 });
    draw(svg, "text", { x: x(tick), y: down + 17, "text-anchor": tick === 1 ? "end" : "middle" }, `${Number((100 * tick).toPrecision(1))} %`);
  }
  draw(svg, "text", { x: right, y: height - 4, "text-anchor": "end" }, "coverage (log scale)");
  draw(svg, "text", { x: 0, y: 11 }, "risk");

  const others = data.rules.map((_, i) => i).filter((i) => i !== rule);
  for (const each of [...others, rule]) {
    // A line breaks off where many labels lose their thresholds at once.
    let before = null;
    let path = "";
    for (const [i, value] of data.levels.entries()) {
      const p = at(each * n + i);
      if (value === null || !(p.coverage > 0)) continue;
      const open = data.uncalibrated[each * n + i];
      const goesOn = before !== null && Math.abs(open - before) <= labels / 10;
      path += `${goesOn ? "L" : "M"}${x(p.coverage).toFixed(1)} ${y(p.risk).toFixed(1)}`;
      before = open;
    }
    if (path) draw(svg, "path", { class: each === rule ? "rule now" : "rule", d: path });
  }
  const setting = rule * n + level;
  const now = at(setting);
  if (now.coverage > 0) {
    const [low, high] = data.precisionEnds.map((end) => end[setting]);
    draw(svg, "line", { class: "whisker", x1: x(now.coverage), x2: x(now.coverage), y1: y(1 - low), y2: y(1 - high) });
    draw(svg, "circle", { class: "point", cx: x(now.coverage), cy: y(now.risk), r: 6 });
  }
  svg.setAttribute(
    "aria-label",
    now.coverage > 0
      ? `Coverage ${percent(now.coverage)}, risk ${percent(now.risk)}`
      : "Nothing is accepted at this setting",
  );
}

// 1, ½, ⅕, ⅒ … of all, from the right.
function* ticks(least) {
  for (let decade = 1; decade >= least / 10; decade /= 10) {
    for (const part of [1, 0.5, 0.2]) if (decade * part >= least) yield decade * part;
  }
}
