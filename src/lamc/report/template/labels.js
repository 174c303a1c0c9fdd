// The table of labels: sorted, searched, a page at a time.

const STATUSES = ["uncalibrated", "calibrated", "pooled"];

// What is known of label k at a setting.
function labelAt(data, arrays, rule, level, k) {
  const i = level * data.names.length + k;
  const status = STATUSES[arrays[`status${rule}`][i]];
  const accepted = arrays[`accepted${rule}`][i];
  const right = arrays[`right${rule}`][i];
  const decided = status !== "uncalibrated";
  const kind = data.rules[rule].absent;
  let absent = 0;
  if (kind === "own") absent = arrays[`absent${rule}`][i];
  else if (kind === "rest" && decided) absent = data.rows - accepted;
  const present = arrays[`present${rule}`][i];
  const below = kind === "own" ? arrays[`below${rule}`][i] : kind === "rest" ? present : -Infinity;
  return {
    name: data.names[k],
    status,
    reason: data.reasons[arrays[`reason${rule}`][i]] || promisedOf(data, arrays, rule, i, k),
    positives: data.rules[rule].positives[k],
    true: data.trueOf[k],
    accepted,
    right,
    present: decided ? present : NaN,
    below: decided ? below : NaN,
    threshold: decided ? present : NaN,
    precision: right / accepted,
    recall: right / data.trueOf[k],
    open: (data.rows - accepted - absent) / data.rows,
  };
}

// What the rule three-way promises of a label, measured; and whether a promise is missed.
function promisedOf(data, arrays, rule, i, k) {
  const parts = arrays[`off${rule}`][i] ? ["misses the promise"] : [];
  if (data.rules[rule].name === "three-way") {
    const wrong = arrays[`accepted${rule}`][i] - arrays[`right${rule}`][i];
    const missed = arrays[`missed${rule}`][i] / data.trueOf[k];
    parts.push(`missed ${percent(missed)}, false ${percent(wrong / (data.rows - data.trueOf[k]))}`);
  }
  return parts.join("; ");
}

class LabelTable {
  constructor(data, arrays) {
    this.data = data;
    this.arrays = arrays;
    this.body = document.querySelector("#table tbody");
    this.heads = [...document.querySelectorAll("#table thead [data-sort]")];
    this.rows = [];
    this.key = null;
    this.direction = "ascending";
    this.wanted = "";
    this.page = 0;
    this.printing = false;
    for (const head of this.heads) head.addEventListener("click", () => this.sortBy(head.dataset.sort));
    document.getElementById("search").addEventListener("input", (event) => this.search(event.target.value));
    document.getElementById("before").addEventListener("click", () => this.turn(-1));
    document.getElementById("after").addEventListener("click", () => this.turn(1));
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  at(rule, level) {
    this.rule = rule;
    this.level = level;
    this.show();
  }

  sortBy(key) {
    const words = key === "name" || key === "status";
    const first = words ? "ascending" : "descending";
    const other = words ? "descending" : "ascending";
    this.direction = this.key === key && this.direction === first ? other : first;
    this.key = key;
    this.page = 0;
    for (const head of this.heads) {
      const cell = head.closest("th");
      if (head.dataset.sort === key) cell.setAttribute("aria-sort", this.direction);
      else cell.removeAttribute("aria-sort");
    }
    this.show();
  }

  search(text) {
    this.wanted = text.trim().toLowerCase();
    this.page = 0;
    this.show();
  }

  turn(by) {
    this.page += by;
    this.show();
    document.getElementById("labels-title").scrollIntoView();
  }

  print(all) {
    this.printing = all;
    this.show();
  }

  // What has no value stands last, whichever way the others are sorted.
  compare(a, b) {
    const sign = this.direction === "ascending" ? 1 : -1;
    const [one, two] = [a[this.key], b[this.key]];
    if (typeof one === "string") return sign * one.localeCompare(two, "en", { numeric: true });
    if (Number.isNaN(one) || Number.isNaN(two)) return Number.isNaN(one) - Number.isNaN(two);
    return one === two ? 0 : sign * (one < two ? -1 : 1);
  }

  // Labels that were searched for, from one place to another; only sorting needs a look at all.
  between(found, first, end) {
    const known = (k) => ({ k, ...labelAt(this.data, this.arrays, this.rule, this.level, k) });
    if (this.key === null) return found.slice(first, end).map(known);
    return found.map(known).sort((a, b) => this.compare(a, b) || a.k - b.k).slice(first, end);
  }

  show() {
    const { data } = this;
    const found = [];
    data.names.forEach((name, k) => {
      if (name.toLowerCase().includes(this.wanted)) found.push(k);
    });
    const pages = Math.max(1, Math.ceil(found.length / data.page));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.printing ? 0 : this.page * data.page;
    const shown = this.between(found, first, this.printing ? undefined : first + data.page);
    this.fill(shown);
    document.getElementById("found").textContent = this.wanted
      ? `${count(found.length)} of ${count(data.names.length)} labels`
      : `${count(data.names.length)} labels`;
    document.getElementById("where").textContent = found.length
      ? `${count(first + 1)}–${count(first + shown.length)} of ${count(found.length)}`
      : "none";
    document.getElementById("before").disabled = this.page === 0;
    document.getElementById("after").disabled = this.page === pages - 1;
    document.querySelector(".pager").hidden = pages === 1;
  }

  // Rows are made once and filled anew, so that a slider moves them without a flicker.
  fill(shown) {
    const template = document.getElementById("label-row");
    while (this.rows.length < shown.length) {
      this.rows.push(template.content.firstElementChild.cloneNode(true));
    }
    this.body.replaceChildren(...this.rows.slice(0, shown.length));
    shown.forEach((label, i) => this.fillRow(this.rows[i], label));
  }

  fillRow(row, label) {
    const { data } = this;
    const { above } = data.rules[this.rule];
    const put = (cell, main, sub) => {
      const [one, two] = row.querySelectorAll(`.${cell} > span`);
      one.textContent = main;
      if (two) two.textContent = sub;
    };
    row.querySelector(".name").textContent = label.name;
    put("status", label.status, label.reason);
    put("positives", count(label.positives), `${count(label.true)} held out`);
    const decided = label.status !== "uncalibrated";
    const sign = Number.isFinite(label.present) ? `${above} ` : "";
    const apart = decided && label.below > -Infinity && label.below < label.present;
    put("threshold", decided ? sign + threshold(label.present) : NONE, apart ? `absent < ${threshold(label.below)}` : "");
    put("precision", percent(label.precision), ends(label.right, label.accepted));
    put("recall", percent(label.recall), ends(label.right, label.true));
    put("open", percent(label.open));
    this.drawScores(row.querySelector(".scores svg"), label, apart);
  }

  drawScores(svg, label, apart) {
    const { data, arrays } = this;
    const bins = (name) => arrays[name].subarray(label.k * data.bins, (label.k + 1) * data.bins);
    const step = 144 / data.bins;
    const bars = (heights, up) => {
      let path = "";
      heights.forEach((height, i) => {
        if (height) path += `M${i * step} 22h${step - 0.8}v${(up ? -1 : 1) * (height / 255) * 20}h${0.8 - step}z`;
      });
      return path;
    };
    svg.querySelector(".true").setAttribute("d", bars(bins("trueScores"), true));
    svg.querySelector(".other").setAttribute("d", bars(bins("otherScores"), false));
    const x = (score) => Math.min(Math.max((144 * score) / arrays.tops[label.k], 0), 144);
    const decided = label.status !== "uncalibrated";
    const drawn = decided && Number.isFinite(label.present);
    const from = decided && label.present < Infinity ? x(label.present) : 144;
    const zone = svg.querySelector(".zone");
    zone.setAttribute("x", from);
    zone.setAttribute("width", 144 - from);
    this.place(svg.querySelector(".high"), drawn, x(label.present));
    this.place(svg.querySelector(".low"), drawn && apart, x(label.below));
    const where = drawn ? `threshold at ${threshold(label.present)}` : "no threshold";
    svg.setAttribute("aria-label", `Scores of ${label.name}, from 0 to ${threshold(arrays.tops[label.k])}; ${where}`);
  }

  place(line, visible, x) {
    line.setAttribute("visibility", visible ? "visible" : "hidden");
    if (!visible) return;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
}
