// The arrays of the page, as lamc.report.payload wrote them.

async function unpack(text, index) {
  const deflated = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const arrays = {};
  for (const [name, entry] of Object.entries(index)) arrays[name] = unpackOne(bytes, entry);
  return arrays;
}

// Differences along the first axis, all first bytes before all second ones.
function unpackOne(bytes, { type, shape, at }) {
  const size = shape.reduce((product, n) => product * n, 1);
  const width = shape[0] ? size / shape[0] : 0;
  const whole = type === "uint8" ? new Uint8Array(size) : new Uint32Array(size);
  for (let plane = 0; plane < whole.BYTES_PER_ELEMENT; plane += 1) {
    const start = at + plane * size;
    for (let i = 0; i < size; i += 1) whole[i] |= bytes[start + i] << (8 * plane);
  }
  for (let i = width; i < size; i += 1) whole[i] += whole[i - width];
  return type === "float32" ? new Float32Array(whole.buffer) : whole;
}
