// The page: one setting, a rule and a level, and everything that follows from it.

function show(name, text) {
  for (const element of document.querySelectorAll(`[data-show="${name}"]`)) element.textContent = text;
}

function showParts(name, accepted, absent, whole) {
  const parts = { accepted, open: whole - accepted - absent, absent };
  let at = 0;
  for (const [part, number] of Object.entries(parts)) {
    show(`${name}-${part}`, count(number));
    show(`${name}-${part}-share`, percent(number / whole));
    const rect = document.querySelector(`#${name}-bar .${part}`);
    const width = (100 * number) / whole;
    rect.setAttribute("x", `${at}%`);
    rect.setAttribute("width", `${width}%`);
    at += width;
  }
}

function showShare(name, part, whole, [low, high]) {
  show(name, percent(part / whole));
  show(`${name}-interval`, interval(low, high));
  const [, range, dot] = document.getElementById(`${name}-strip`).children;
  const visible = whole > 0 ? "visible" : "hidden";
  for (const mark of [range, dot]) mark.setAttribute("visibility", visible);
  if (!whole) return;
  range.setAttribute("x1", `${100 * low}%`);
  range.setAttribute("x2", `${100 * high}%`);
  dot.setAttribute("cx", `${(100 * part) / whole}%`);
}

function showOverall(data, rule, level) {
  const setting = rule * data.levels.length + level;
  const { name } = data.rules[rule];
  const alpha = levelText(data.levels[level]);
  show("rule-name", name);
  show("level", alpha);
  show("promise", data.promises[setting]);
  show("kept", data.kept[setting]);
  for (const status of STATUSES) show(status, count(data[status][setting]));
  showParts("pairs", data.accepted[setting], data.absent[setting], data.pairs);
  showParts("true", data.right[setting], data.missed[setting], data.true);
  const endsOf = (both) => both.map((end) => end[setting]);
  showShare("precision", data.right[setting], data.accepted[setting], endsOf(data.precisionEnds));
  showShare("recall", data.right[setting], data.true, endsOf(data.recallEnds));
  return `${name}, alpha ${alpha}: ${percent(data.accepted[setting] / data.pairs)} accepted, `
    + `precision ${percent(data.right[setting] / data.accepted[setting])}, `
    + `recall ${percent(data.right[setting] / data.true)}`;
}

async function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const arrays = await unpack(document.getElementById("numbers").textContent, data.arrays);
  document.documentElement.classList.add("live");
  const slider = document.getElementById("level");
  const choices = [...document.querySelectorAll('input[name="rule"]')];
  const table = new LabelTable(data, arrays);
  let [rule, level] = data.own;
  let [waiting, speaking] = [false, undefined];

  function update() {
    const sentence = showOverall(data, rule, level);
    slider.setAttribute("aria-valuetext", `alpha ${levelText(data.levels[level])}`);
    document.getElementById("reset").disabled = rule === data.own[0] && level === data.own[1];
    drawRisk(data, rule, level);
    table.at(rule, level);
    showExamples(data, arrays, rule * data.levels.length + level);
    return sentence;
  }

  // A slider may move several times before the screen is drawn once. What changed is said when it
  // rests, or a screen reader would never come to an end.
  function updateSoon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const sentence = update();
      clearTimeout(speaking);
      speaking = setTimeout(() => { document.getElementById("spoken").textContent = sentence; }, 500);
    });
  }

  slider.addEventListener("input", () => {
    level = Number(slider.value);
    updateSoon();
  });
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      rule = Number(choice.value);
      updateSoon();
    });
  }
  document.getElementById("reset").addEventListener("click", () => {
    [rule, level] = data.own;
    slider.value = level;
    choices[rule].checked = true;
    slider.focus();
    updateSoon();
  });
  new ResizeObserver(() => drawRisk(data, rule, level)).observe(document.getElementById("risk"));
  [slider.value, choices[rule].checked] = [level, true];
  update();
}

start();
