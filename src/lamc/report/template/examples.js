// What is decided about single rows, at the setting chosen.

const CHIPS = {
  right: ["✓", "", "accepted, and true"],
  wrong: ["✗", "wrong", "accepted, but not true"],
  open: ["?", "", "left open, not true"],
  "open-true": ["?", "true", "left open, and true"],
  missed: ["∅", "missed", "called absent, but true"],
};

// Decisions are 0 where left open, 1 where absent, 2 where accepted.
function stateOf(decision, isTrue) {
  if (decision === 1) return isTrue ? "missed" : null;
  if (decision === 2) return isTrue ? "right" : "wrong";
  return isTrue ? "open-true" : "open";
}

function span(className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  return element;
}

function chip(name, state) {
  const [icon, note, spoken] = CHIPS[state];
  const item = document.createElement("li");
  item.className = `chip ${state}`;
  const seen = [span("icon", icon), span("label", name), ...(note ? [span("note", note)] : [])];
  for (const part of seen) {
    if (part.className !== "label") part.setAttribute("aria-hidden", "true");
    item.append(part, " ");
  }
  item.append(span("hidden", `, ${spoken}`));
  return item;
}

function showExamples(data, arrays, setting) {
  const cards = document.querySelectorAll(".example");
  const width = data.examples.reduce((sum, example) => sum + example.names.length, 0);
  let at = setting * width;
  data.examples.forEach((example, i) => {
    const chips = [];
    example.names.forEach((name, j) => {
      const state = stateOf(arrays.decisions[at + j], example.true[j]);
      if (state) chips.push(chip(name, state));
    });
    at += example.names.length;
    cards[i].querySelector(".chips").replaceChildren(...chips);
    const words = ["more accepted and true", "more accepted but not true", "more left open", "more called absent but true"];
    const first = (setting * data.examples.length + i) * words.length;
    cards[i].querySelector(".others").textContent = words
      .map((word, j) => [arrays.others[first + j], word])
      .filter(([number]) => number > 0)
      .map(([number, word]) => `${count(number)} ${word}`)
      .join("; ");
  });
}
