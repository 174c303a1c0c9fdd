// Numbers as text, written as lamc.report.numbers writes them.

const NONE = "–";
const Z = 1.959963984540054; // of the standard normal, 2.5 % lie above

const count = (number) => number.toLocaleString("en-US");

function percent(share) {
  if (Number.isNaN(share)) return NONE;
  if (share > 0 && share < 0.0005) return "< 0.1\u00a0%";
  if (share >= 0.9995 && share < 1) return "> 99.9\u00a0%";
  return `${(100 * share).toFixed(1)}\u00a0%`;
}

function interval(low, high) {
  if (low === null || Number.isNaN(low)) return NONE;
  return `${(100 * low).toFixed(1)}\u00a0to\u00a0${(100 * high).toFixed(1)}\u00a0%`;
}

function threshold(value) {
  if (value === -Infinity) return "any score";
  if (value === Infinity) return "never";
  const near = Math.min(Math.abs(value), Math.abs(1 - value));
  let digits = 3;
  while (digits < 6 && near > 0 && near * 10 ** digits < 100) digits += 1;
  return value.toFixed(digits);
}

// A level is a number, or null where each label has its own.
const levelText = (level) => (level === null ? "own" : String(Number(level.toPrecision(9))));

// Wilson's 95 % interval of part/whole, or an empty text where there is nothing.
function ends(part, whole) {
  if (whole === 0) return "";
  const share = part / whole;
  const weight = (Z * Z) / whole;
  const middle = (share + weight / 2) / (1 + weight);
  const half = Math.sqrt(share * (1 - share) * weight + (weight * weight) / 4) / (1 + weight);
  return interval(share === 0 ? 0 : middle - half, share === 1 ? 1 : middle + half);
}
