// Lay a graph out, and let people move what is in it. The same picture for the same edges, every time.

const STEPS = 220;
// Half of what the longest label takes.
const LABEL = 92;
// How long an edge would like to be; where many names share the room, shorter.
const LENGTH = 110;
const LENGTH_MIN = 38;
// What stands at the foot of a drawing: the buttons to look closer.
const BELOW = 92;
// Two names alone need not stand at two ends of the page.
const SPREAD_MAX = 2.2;
// How wide a letter of a label is, about.
const LETTER = 7;
// A click is allowed to tremble so far, in pixels.
const STILL = 4;

/** Let names push each other away and edges pull. `centre` stays in the middle; without one, all are drawn towards it,
 *  so that what is related to nothing else stays in sight. Returns places by name. */
export function place(names, edges, { width, height, centre = null }) {
  const length = centre === null ? Math.max(LENGTH_MIN, Math.min(LENGTH, 0.8 * Math.sqrt((width * height) / Math.max(1, names.length)))) : LENGTH;
  const strength = 0.74 * length * length;
  const around = centre === null ? Math.min(width, height) * 0.4 : 150;
  const nodes = new Map(
    names.map((name, at) => {
      const far = centre === null ? around * Math.sqrt((at + 0.5) / names.length) : name === centre ? 0 : around;
      return [name, { x: width / 2 + far * Math.cos(at * 2.4), y: height / 2 + (centre === null ? 1 : 0.73) * far * Math.sin(at * 2.4) }];
    }),
  );
  const pairs = edges.map((edge) => [nodes.get(edge.source), nodes.get(edge.target)]).filter(([a, b]) => a && b && a !== b);
  const all = [...nodes.values()];
  for (let step = 0; step < STEPS; step++) {
    const heat = 12 * (1 - step / STEPS);
    for (const node of all) {
      node.dx = centre === null ? (width / 2 - node.x) * 0.02 : 0;
      node.dy = centre === null ? (height / 2 - node.y) * 0.03 : 0;
    }
    for (let i = 0; i < all.length; i++) {
      for (let j = i + 1; j < all.length; j++) {
        const dx = all[i].x - all[j].x || 0.01 * (i - j);
        const dy = all[i].y - all[j].y;
        const push = strength / (dx * dx + dy * dy + 40);
        const far = Math.hypot(dx, dy) || 1;
        all[i].dx += (dx / far) * push;
        all[i].dy += (dy / far) * push;
        all[j].dx -= (dx / far) * push;
        all[j].dy -= (dy / far) * push;
      }
    }
    for (const [a, b] of pairs) {
      const far = Math.hypot(a.x - b.x, a.y - b.y) || 1;
      const pull = (far - length) * 0.06;
      a.dx -= ((a.x - b.x) / far) * pull;
      a.dy -= ((a.y - b.y) / far) * pull;
      b.dx += ((a.x - b.x) / far) * pull;
      b.dy += ((a.y - b.y) / far) * pull;
    }
    for (const [name, node] of nodes) {
      if (name === centre) continue;
      const far = Math.hypot(node.dx, node.dy) || 1;
      node.x = Math.min(width - 60, Math.max(60, node.x + (node.dx / far) * Math.min(far, heat)));
      node.y = Math.min(height - 40, Math.max(24, node.y + (node.dy / far) * Math.min(far, heat)));
    }
  }
  if (centre === null) spread(all, width, height);
  return nodes;
}

/** Use the room there is: what is drawn together is drawn apart. */
function spread(all, width, height) {
  for (const [axis, from, to] of [["x", 60, width - 60], ["y", 24, height - BELOW]]) {
    const least = Math.min(...all.map((node) => node[axis]));
    const most = Math.max(...all.map((node) => node[axis]));
    if (most - least < 1) continue;
    const by = Math.min(SPREAD_MAX, (to - from) / (most - least));
    const middle = (least + most) / 2;
    for (const node of all) node[axis] = (from + to) / 2 + (node[axis] - middle) * by;
  }
}

/** Which of these names can bear their labels so that none covers another: those that come first, first. */
export function labelled(names, nodes) {
  const boxes = [];
  return new Set(
    names.filter((name) => {
      const { x, y } = nodes.get(name);
      const half = LETTER * Math.min(name.length, 24) * 0.5 + 4;
      const box = [x - half, y + 4, x + half, y + 30];
      if (boxes.some((each) => box[0] < each[2] && each[0] < box[2] && box[1] < each[3] && each[1] < box[3])) return false;
      boxes.push(box);
      return true;
    }),
  );
}

/** Which of these names bear their labels above: where, below, one of an earlier name stands already, and above none. */
export function above(names, nodes, width) {
  const boxes = [];
  const isFree = (box) => !boxes.some((each) => box[0] < each[2] && each[0] < box[2] && box[1] < each[3] && each[1] < box[3]);
  return new Set(
    names.filter((name) => {
      const { x, y } = nodes.get(name);
      const { "text-anchor": anchor, x: lean = 0 } = leaning(x, width);
      const wide = LETTER * Math.min(name.length, 24) + 8;
      const from = x + lean - wide * { start: 0, middle: 0.5, end: 1 }[anchor];
      const [below, over] = [[from, y + 8, from + wide, y + 28], [from, y - 28, from + wide, y - 8]];
      const isAbove = !isFree(below) && isFree(over);
      boxes.push(isAbove ? over : below, [x - 9, y - 9, x + 9, y + 9]);
      return isAbove;
    }),
  );
}

/** A label near an edge leans inwards: none is cut. */
export function leaning(x, width) {
  if (x < LABEL) return { "text-anchor": "start", x: -Math.min(x - 6, 30) };
  if (x > width - LABEL) return { "text-anchor": "end", x: Math.min(width - x - 6, 30) };
  return { "text-anchor": "middle" };
}

/** Let each name be dragged, its edges with it. `edges`: each with the `element` of its line and words. Returns what
 *  makes the element of a name one that can be dragged. */
export function draggable(svg, nodes, edges) {
  const touching = new Map();
  for (const edge of edges) for (const end of new Set([edge.source, edge.target])) touching.set(end, [...(touching.get(end) ?? []), edge]);

  function stretch({ source, target, element }) {
    const [a, b] = [nodes.get(source), nodes.get(target)];
    const line = element.querySelector("line");
    for (const [name, value] of [["x1", a.x], ["y1", a.y], ["x2", b.x], ["y2", b.y]]) line.setAttribute(name, value);
    const words = element.querySelector("text");
    words?.setAttribute("x", (a.x + b.x) / 2);
    words?.setAttribute("y", (a.y + b.y) / 2 - 4);
  }
  for (const edge of edges) stretch(edge);

  return (name, element) => {
    let held = null;
    element.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button) return;
      event.stopPropagation(); // the drawing itself stays where it is
      held = { x: event.clientX, y: event.clientY, moves: false };
    });
    element.addEventListener("pointermove", (event) => {
      if (!held || (!held.moves && Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL)) return;
      if (!held.moves) element.setPointerCapture(event.pointerId);
      held.moves = true;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      Object.assign(nodes.get(name), { x: at.x, y: at.y });
      element.setAttribute("transform", `translate(${at.x} ${at.y})`);
      for (const edge of touching.get(name) ?? []) stretch(edge);
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => held && setTimeout(() => (held = null)));
    // What was dragged was not chosen.
    element.addEventListener("click", (event) => held?.moves && event.stopImmediatePropagation(), { capture: true });
    return element;
  };
}
