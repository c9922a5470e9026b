// `root` holds a picture, a line for what the pointer is at, and a button. `name` and `look` say which picture it is
// to the kernel, if one listens. A view is the part of a window, from 0 to 1 to the right and downwards, that fills it.
const output = root.querySelector("output"), button = root.querySelector("button");
const help = "drag: zoom   Shift and drag: move   double click: all";
const own = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], "+": 0.8, "=": 0.8, "-": 1.25, "0": 0, Home: 0 };
const parts = new WeakMap();
let home = root.querySelector("svg");
// Whether the kernel has answered, and what it said instead of a picture.
let hasAnswered = false, notice = "";
// Questions of a page that was loaded anew are others than those before.
let svg, told, windows, views, at = 0, drag = null, timer = null, count = Date.now(), token = null, whole = null, ear = null, box = null;

function adopt(picture) {
  if (svg && svg !== picture) svg.replaceWith(picture);
  svg = picture;
  told = JSON.parse(svg.dataset.axes);
  windows = told.windows;
  windows.forEach(function (w) { w.rect = w.rect.map(function (v) { return v * told.unit; }); });
  views = windows.map(function () { return { l: 0, r: 1, t: 0, b: 1 }; });
}
function isWhole(v) { return v.l === 0 && v.r === 1 && v.t === 0 && v.b === 1; }

// Numbers of the data, as their axis spaces them and as they are.
function spaced(ruler, value) {
  const near = ruler.near, size = Math.abs(value);
  if (near) return size <= near ? value / 0.9 : Math.sign(value) * near * (1 / 0.9 + Math.log10(size / near));
  return ruler.log ? Math.log10(value) : value;
}
function valueAt(ruler, part) {
  const from = spaced(ruler, ruler.from), to = spaced(ruler, ruler.to), value = from + (to - from) * part;
  const near = ruler.near, size = Math.abs(value) / near;
  if (near) return size <= 1 / 0.9 ? value * 0.9 : Math.sign(value) * near * Math.pow(10, size - 1 / 0.9);
  return ruler.log ? Math.pow(10, value) : value;
}
function ends(k) {
  const w = windows[k], v = views[k];
  return [valueAt(w.x, v.l), valueAt(w.x, v.r), valueAt(w.y, 1 - v.b), valueAt(w.y, 1 - v.t)];
}

// What the marks of a picture are made of, read once.
function read() {
  if (parts.has(svg)) return parts.get(svg);
  const found = windows.map(function () { return { marks: [], own: [], data: [], place: null, grid: null }; });
  svg.querySelectorAll("g[data-part]").forEach(function (group) {
    const of = found[group.dataset.window];
    if (!of) return;
    if (group.dataset.part !== "data") {
      of.own.push(group);
      of[group.dataset.part === "grid" ? "grid" : "place"] = group;
      return;
    }
    of.data.push(group);
    group.querySelectorAll("[data-at]").forEach(function (el) {
      of.marks.push({ el: el, at: el.dataset.at.split(" ").map(Number) });
    });
    group.querySelectorAll("circle,polyline,polygon,line,rect,image").forEach(function (el) {
      if (el.closest("[data-at]")) return;
      if (el.tagName === "circle") {
        of.marks.push({ el: el, at: [Number(el.getAttribute("cx")), Number(el.getAttribute("cy"))] });
      } else if (el.hasAttribute("points")) {
        of.marks.push({ el: el, points: el.getAttribute("points").match(/-?[\d.]+/g).map(Number) });
      } else if (el.tagName === "line") {
        of.marks.push({ el: el, line: ["x1", "y1", "x2", "y2"].map(function (n) { return Number(el.getAttribute(n)); }) });
      } else {
        const box = ["x", "y", "width", "height"].map(function (n) { return Number(el.getAttribute(n)); });
        of.marks.push({ el: el, box: box });
      }
    });
  });
  parts.set(svg, found);
  return found;
}

function show() {
  const found = read();
  windows.forEach(function (w, k) {
    const v = views[k], r = w.rect, of = found[k], whole = isWhole(v);
    const sx = 1 / (v.r - v.l), sy = 1 / (v.b - v.t);
    function X(x) { return r[0] + ((x - r[0]) / r[2] - v.l) * sx * r[2]; }
    function Y(y) { return r[1] + ((y - r[1]) / r[3] - v.t) * sy * r[3]; }
    of.marks.forEach(function (m) {
      if (m.at) {
        if (whole) m.el.removeAttribute("transform");
        else m.el.setAttribute("transform", "translate(" + (X(m.at[0]) - m.at[0]) + " " + (Y(m.at[1]) - m.at[1]) + ")");
      } else if (m.points) {
        const p = m.points;
        let text = "";
        for (let i = 0; i < p.length; i += 2) text += X(p[i]).toFixed(1) + "," + Y(p[i + 1]).toFixed(1) + " ";
        m.el.setAttribute("points", text);
      } else if (m.line) {
        ["x1", "y1", "x2", "y2"].forEach(function (n, i) { m.el.setAttribute(n, i % 2 ? Y(m.line[i]) : X(m.line[i])); });
      } else {
        const b = m.box;
        m.el.setAttribute("x", X(b[0]));
        m.el.setAttribute("y", Y(b[1]));
        m.el.setAttribute("width", b[2] * sx);
        m.el.setAttribute("height", b[3] * sy);
      }
    });
    of.own.forEach(function (group) { group.style.display = whole ? "" : "none"; });
    // What is written across the edge of the axes is seen within them alone.
    const edge = name + "-" + svg.dataset.token + "-edge-" + k;
    if (!of.edge) {
      of.edge = make("clipPath", { id: edge });
      of.edge.appendChild(make("rect", { x: r[0], y: r[1], width: r[2], height: r[3] }));
      svg.appendChild(of.edge);
    }
    of.data.forEach(function (group) {
      if (whole) group.removeAttribute("clip-path"); else group.setAttribute("clip-path", "url(#" + edge + ")");
    });
    if (of.made) of.made.forEach(function (el) { el.remove(); });
    of.made = [];
    if (!whole) drawTicks(w, k, of);
  });
  button.hidden = svg === home && views.every(isWhole);
}

function make(kind, attributes, text) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const key in attributes) el.setAttribute(key, attributes[key]);
  if (text !== undefined) el.textContent = text;
  return el;
}

function drawTicks(w, k, of) {
  const r = w.rect, u = told.unit, e = ends(k), font = told.font * u, tick = told.tick * u, pad = told.pad * u;
  const grid = make("g", {}), all = make("g", {});
  function line(to, x1, y1, x2, y2, color) {
    to.appendChild(make("line", { x1: x1, y1: y1, x2: x2, y2: y2, stroke: color, "stroke-width": told.line * u }));
  }
  function write(x, y, anchor, text, more) {
    all.appendChild(make("text", Object.assign({ x: x, y: y, "text-anchor": anchor, "font-size": font, fill: w.ink,
      "font-family": "DejaVu Sans, sans-serif" }, more), text));
  }
  const wide = w.x.date ? 7 : 3;
  ticks(w.x, e[0], e[1], Math.min(9, Math.max(1, Math.floor(r[2] / font / wide)))).forEach(function (t) {
    const x = Math.floor((r[0] + t[0] * r[2]) / u) * u + u / 2, low = r[1] + r[3], above = w.x.side === "second";
    const length = t[1] === null ? tick * 0.57 : tick;
    if (w.x.grid && t[1] !== null) line(grid, x, r[1], x, low, w.grid);
    if (w.x.side === "none") return;
    line(all, x, above ? r[1] - length : low, x, above ? r[1] : low + length, w.ink);
    if (w.x.side === "bare" || t[1] === null) return;
    const y = above ? r[1] - tick - pad : low + tick + pad + font * 0.73;
    if (!w.x.rotation) write(x, y, "middle", t[1]);
    else write(x, y, w.x.rotation > 0 ? "end" : "start", t[1], { transform: "rotate(" + -w.x.rotation + " " + x + " " + y + ")" });
  });
  ticks(w.y, e[2], e[3], Math.min(9, Math.max(1, Math.floor(r[3] / font / 2)))).forEach(function (t) {
    const y = Math.floor((r[1] + (1 - t[0]) * r[3]) / u) * u + u / 2, right = r[0] + r[2], aside = w.y.side === "second";
    const length = t[1] === null ? tick * 0.57 : tick;
    if (w.y.grid && t[1] !== null) line(grid, r[0], y, right, y, w.grid);
    if (w.y.side === "none") return;
    line(all, aside ? right : r[0] - length, y, aside ? right + length : r[0], y, w.ink);
    if (w.y.side === "bare" || t[1] === null) return;
    write(aside ? right + tick + pad : r[0] - tick - pad, y + font * 0.365, aside ? "start" : "end", t[1]);
  });
  if (of.grid) of.grid.before(grid);
  if (of.place) of.place.before(all); else svg.appendChild(all);
  of.made = [grid, all];
}

// Where ticks stand between two ends, from 0 to 1, and what they say; null of small ones.
function ticks(ruler, a, b, room) {
  const from = spaced(ruler, a), to = spaced(ruler, b), low = Math.min(from, to), high = Math.max(from, to);
  function placed(value, text) { return [(value - from) / (to - from), text]; }
  function isSeen(t) { return t[0] >= -1e-9 && t[0] <= 1 + 1e-9; }
  if (ruler.given) {
    const seen = ruler.given.map(function (t) { return placed(spaced(ruler, t[0]), t[1]); }).filter(isSeen);
    const step = Math.max(1, Math.ceil(seen.length / (2 * room)));
    return seen.filter(function (_, i) { return i % step === 0; });
  }
  if (ruler.date) return dates(low, high, room).map(function (t) { return placed(t[0], t[1]); }).filter(isSeen);
  if (ruler.log && high - low >= 1) {
    const step = Math.max(1, Math.ceil((high - low) / room)), found = [];
    for (let k = Math.floor(low / step) * step; k <= high + 1e-9; k += step) {
      found.push(placed(k, "10" + raised(k)));
      for (let times = 2; step === 1 && times < 10; times++) {
        const isNamed = high - low < 2 && (times === 2 || times === 5);
        found.push(placed(k + Math.log10(times), isNamed ? times + "\u00d710" + raised(k) : null));
      }
    }
    return found.filter(isSeen);
  }
  const least = Math.min(a, b), most = Math.max(a, b), step = stepOf((most - least) / room), found = [];
  if (!(step > 0)) return found;
  for (let k = Math.ceil(least / step - 1e-9); k * step <= most + step * 1e-9 && found.length < 50; k++) {
    found.push(placed(spaced(ruler, k * step), written(k * step, step, Math.max(Math.abs(least), Math.abs(most)))));
  }
  return found;
}
function stepOf(raw) {
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  return power * [1, 2, 2.5, 5, 10].find(function (times) { return times * power >= raw * (1 - 1e-9); });
}
function digitsOf(step) {
  for (let d = 0; d < 15; d++) if (Math.abs(Number(step.toFixed(d)) - step) < step * 1e-6) return d;
  return 15;
}
function minus(text) { return /^-[0.]*$/.test(text) ? text.slice(1) : text.replace(/-/g, "\u2212"); }
function written(value, step, largest) {
  if (largest < 1e6 && largest >= 1e-4) return minus(value.toFixed(digitsOf(step)));
  const power = Math.floor(Math.log10(largest)), unit = Math.pow(10, power);
  return minus((value / unit).toFixed(digitsOf(step / unit)) + (value === 0 ? "" : "e" + power));
}
function raised(k) {
  return String(k).replace(/./g, function (c) { return c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c]; });
}

// Times are seconds since 1970. Those of months and years are where a calendar has them.
const clock = [0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
  86400, 172800, 604800], month = 2629746;
function time(seconds, step, range) {
  const date = new Date(seconds * 1000);
  if (isNaN(date)) return minus(String(seconds));
  const text = date.toISOString();
  if (step >= 12 * month) return text.slice(0, -20);
  if (step >= month) return text.slice(0, -17);
  if (step >= 86400) return text.slice(0, -14);
  const hours = text.slice(-13, step < 1 ? -1 : step < 60 ? -5 : -8);
  return range > 86400 ? text.slice(-19, -14) + " " + hours : hours;
}
function dates(low, high, room) {
  const raw = (high - low) / room, found = [];
  const step = clock.find(function (s) { return s >= raw; });
  if (step) {
    for (let k = Math.ceil(low / step); k * step <= high; k++) found.push([k * step, time(k * step, step, high - low)]);
    return found;
  }
  const isHalf = raw <= 14 * 86400;
  let months = isHalf ? 1 : [1, 2, 3, 6, 12].find(function (m) { return m * month >= raw; });
  if (!months) months = 12 * Math.max(1, Math.round(stepOf(raw / 12 / month)));
  const first = new Date(low * 1000);
  if (isNaN(first)) return found;
  let k = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months;
  for (; found.length < 50; k += months) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(k / 12), k - 12 * Math.floor(k / 12), 1);
    const seconds = date.getTime() / 1000;
    if (!(seconds <= high)) return found;
    found.push([seconds, time(seconds, isHalf ? 86400 : months * month, high - low)]);
    if (isHalf) found.push([seconds + 14 * 86400, time(seconds + 14 * 86400, 86400, high - low)]);
  }
  return found;
}

// The place of the pointer, in the units of the picture.
function unitsOf(event) {
  const box = svg.getBoundingClientRect(), all = svg.viewBox.baseVal;
  return [(event.clientX - box.left) / box.width * all.width, (event.clientY - box.top) / box.height * all.height];
}
function windowAt(p) {
  for (let k = windows.length - 1; k >= 0; k--) {
    const r = windows[k].rect;
    // The first of those that share a place is the one whose ticks are on the left.
    if (p[0] >= r[0] && p[0] <= r[0] + r[2] && p[1] >= r[1] && p[1] <= r[1] + r[3]) return windows.findIndex(isOver(r));
  }
  return -1;
}
function isOver(r) { return function (w) { return w.rect.every(function (v, i) { return v === r[i]; }); }; }
function partOf(k, p) {
  const r = windows[k].rect, v = views[k];
  return [v.l + (p[0] - r[0]) / r[2] * (v.r - v.l), v.t + (p[1] - r[1]) / r[3] * (v.b - v.t)];
}
function number(ruler, part, step) {
  const value = valueAt(ruler, part), near = Math.abs(valueAt(ruler, part + step) - value);
  const named = ruler.given && ruler.given.find(function (t) { return Number.isInteger(t[0]) && Math.abs(t[0] - value) < 0.5; });
  if (named && isNaN(named[1].replace("\u2212", "-"))) return named[1];
  if (ruler.date) {
    const date = new Date(value * 1000);
    return isNaN(date) ? String(value) : date.toISOString().replace("T", " ").slice(0, near < 1 ? -1 : -5);
  }
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4 && near < 1e-6)) return minus(value.toExponential(4));
  return minus(value.toFixed(Math.min(15, Math.max(0, Math.ceil(-Math.log10(near))))));
}
function tell(k, p) {
  const isEnlarged = views.some(function (v) { return v.r - v.l < 0.5 || v.b - v.t < 0.5; });
  const state = notice || (token !== null && hasAnswered ? "drawing" : isEnlarged && !hasAnswered ? "enlarged" : "");
  const after = state ? "   (" + state + ")" : "";
  if (k < 0) { output.textContent = help + after; return; }
  const here = partOf(k, p), text = [], r = windows[k].rect, v = views[k];
  windows.forEach(function (w, i) {
    if (!isOver(r)(w)) return;
    const x = number(w.x, here[0], told.unit / r[2] * (v.r - v.l)), y = number(w.y, 1 - here[1], told.unit / r[3] * (v.b - v.t));
    if (i === k || w.x.side === "second") text.push((i === k ? "x " : "x above ") + x);
    if (i === k || w.y.side === "second") text.push((i === k ? "y " : "y right ") + y);
  });
  output.textContent = text.join("   ") + after;
}

// Other views: of a window, and of those that move with it.
function move(k, to) {
  const v = views[k], listens = hasAnswered && asking() !== null, before = views.slice();
  let next = Object.assign({}, v, to);
  [["l", "r"], ["t", "b"]].forEach(function (side) {
    let from = next[side[0]], end = next[side[1]], length = end - from;
    // Without a kernel there is no more to see than is in the picture.
    const least = listens ? 1e-6 : 0.02;
    if (length < least) { from -= (least - length) / 2; length = least; end = from + least; }
    if (!listens) {
      length = Math.min(1, length);
      from = Math.min(Math.max(0, from), 1 - length);
      end = from + length;
    } else if (length > 100) {
      from = v[side[0]];
      end = v[side[1]];
    }
    next[side[0]] = from;
    next[side[1]] = end;
  });
  if (windows[k].keeps) {
    const part = Math.max(next.r - next.l, next.b - next.t), x = (next.l + next.r) / 2, y = (next.t + next.b) / 2;
    next = { l: x - part / 2, r: x + part / 2, t: y - part / 2, b: y + part / 2 };
    if (!listens) {
      const dx = Math.max(0, -next.l) - Math.max(0, next.r - 1), dy = Math.max(0, -next.t) - Math.max(0, next.b - 1);
      next = { l: next.l + dx, r: next.r + dx, t: next.t + dy, b: next.b + dy };
    }
  }
  windows.forEach(function (w, i) {
    const same = isOver(windows[k].rect)(w);
    const x = same || (w.x.group !== undefined && w.x.group === windows[k].x.group);
    const y = same || (w.y.group !== undefined && w.y.group === windows[k].y.group);
    views[i] = { l: x ? next.l : views[i].l, r: x ? next.r : views[i].r, t: y ? next.t : views[i].t, b: y ? next.b : views[i].b };
  });
  // An axis ends where numbers do.
  const isThere = function (_, i) {
    return ends(i).every(function (end, side) {
      const size = Math.abs(end), isLog = (side < 2 ? windows[i].x : windows[i].y).log;
      return size < 1e300 && (!isLog || size > 1e-300);
    });
  };
  if (!windows.every(isThere)) { views = before; return; }
  show();
  ask();
}
function zoom(k, factor, here) {
  const v = views[k];
  move(k, { l: here[0] - (here[0] - v.l) * factor, r: here[0] + (v.r - here[0]) * factor,
    t: here[1] - (here[1] - v.t) * factor, b: here[1] + (v.b - here[1]) * factor });
}
function reset() {
  clearTimeout(timer);
  timer = token = null;
  adopt(home);
  show();
  // Its arrays may hold something else by now.
  if (hasAnswered) question([]);
}

// The kernel, if it listens: a text in which a question stands, and a box in which the answer appears.
function asking() {
  const input = document.querySelector("." + name + "-ask input");
  return input && !input.closest(".jupyter-widgets-disconnected") ? input : null;
}
function ask() {
  if (!asking()) return;
  clearTimeout(timer);
  timer = setTimeout(function () {
    timer = null;
    question(windows.map(function (_, k) { return [k].concat(ends(k)).join(" "); }));
  }, 120);
}
function question(changed) {
  const input = asking();
  if (!input) return;
  token = look + "-" + (++count);
  whole = changed.length ? whole : token;
  listen();
  input.value = [token].concat(changed).join(";");
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}
function listen() {
  const found = document.querySelector("." + name + "-answer");
  if (!found || found === box) return;
  if (ear) ear.disconnect();
  box = found;
  ear = new MutationObserver(hear);
  ear.observe(box, { childList: true, subtree: true, characterData: true });
}
// Takes the answer that is there, unless another question is on its way.
function hear() {
  if (!root.isConnected) { ear.disconnect(); box = null; return; }
  if (!box || token === null || timer !== null || drag) return;
  const picture = box.querySelector("svg");
  if (!picture) {
    if (!box.textContent.trim()) return;
    // There is no more to see than the picture that is there.
    notice = box.textContent.trim();
    hasAnswered = false;
    token = null;
    views = views.map(function (v) {
      return { l: Math.max(0, v.l), r: Math.min(1, v.r), t: Math.max(0, v.t), b: Math.min(1, v.b) };
    });
    if (views.some(function (v) { return v.r <= v.l || v.b <= v.t; })) adopt(home);
    show();
    tell(-1);
    return;
  }
  if (picture.dataset.token !== token) return;
  notice = "";
  hasAnswered = true;
  const answer = picture.cloneNode(true);
  if (token === whole) home = answer;
  token = null;
  adopt(answer);
  show();
}

root.addEventListener("focus", function () { window.addEventListener("keydown", firstKeys, true); });
root.addEventListener("pointerdown", function (event) {
  if (drag || !event.isPrimary || event.button !== 0 || !svg.contains(event.target)) return;
  const p = unitsOf(event), k = windowAt(p);
  if (k < 0) return;
  at = k;
  drag = { k: k, from: p, last: p, moves: event.shiftKey, box: null };
  root.setPointerCapture(event.pointerId);
  root.focus({ preventScroll: true });
  event.preventDefault();
});
root.addEventListener("pointermove", function (event) {
  const p = unitsOf(event);
  if (!drag) {
    const k = windowAt(p);
    if (k >= 0) at = k;
    svg.style.cursor = k < 0 ? "" : event.shiftKey ? "grab" : "crosshair";
    tell(k, p);
    return;
  }
  const r = windows[drag.k].rect, v = views[drag.k];
  if (drag.moves) {
    const dx = (drag.last[0] - p[0]) / r[2] * (v.r - v.l), dy = (drag.last[1] - p[1]) / r[3] * (v.b - v.t);
    drag.last = p;
    move(drag.k, { l: v.l + dx, r: v.r + dx, t: v.t + dy, b: v.b + dy });
    return;
  }
  drag.last = [Math.min(Math.max(p[0], r[0]), r[0] + r[2]), Math.min(Math.max(p[1], r[1]), r[1] + r[3])];
  if (!drag.box) {
    drag.box = make("rect", { fill: windows[drag.k].ink, "fill-opacity": 0.1, stroke: windows[drag.k].ink, "stroke-width": told.unit });
    svg.appendChild(drag.box);
  }
  const s = stretched();
  ["x", "y"].forEach(function (key, i) { drag.box.setAttribute(key, s[i]); });
  ["width", "height"].forEach(function (key, i) { drag.box.setAttribute(key, s[2 + i] - s[i]); });
  tell(drag.k, p);
});
// The box from where the drag began: as wide or as high as the axes where it is a line.
function stretched() {
  const r = windows[drag.k].rect, a = drag.from, b = drag.last, slight = 12 * told.unit;
  const s = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  if (windows[drag.k].keeps) return s;
  if (s[2] - s[0] < slight && s[3] - s[1] >= slight) { s[0] = r[0]; s[2] = r[0] + r[2]; }
  if (s[3] - s[1] < slight && s[2] - s[0] >= slight) { s[1] = r[1]; s[3] = r[1] + r[3]; }
  return s;
}
function release() {
  if (!drag) return;
  const ended = drag, s = ended.box && stretched();
  if (ended.box) ended.box.remove();
  const least = 4 * told.unit;
  const isBox = s && s[2] - s[0] >= least && s[3] - s[1] >= least;
  drag = null;
  if (isBox) {
    const from = partOf(ended.k, [s[0], s[1]]), to = partOf(ended.k, [s[2], s[3]]);
    move(ended.k, { l: from[0], t: from[1], r: to[0], b: to[1] });
  } else if (ended.moves) ask();
  hear();
}
root.addEventListener("pointerup", release);
root.addEventListener("pointercancel", function () { if (drag && drag.box) drag.box.remove(); drag = null; hear(); });
root.addEventListener("pointerleave", function () { if (!drag) tell(-1); });
root.addEventListener("dblclick", function (event) {
  // The target is the root, which has the pointer during a drag.
  if (event.clientY > svg.getBoundingClientRect().bottom) return;
  reset();
  event.preventDefault();
});
root.addEventListener("wheel", function (event) {
  if (!(event.ctrlKey || event.metaKey) || !svg.contains(event.target)) return;
  const p = unitsOf(event), k = windowAt(p);
  if (k < 0) return;
  event.preventDefault();
  zoom(k, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005), partOf(k, p));
}, { passive: false });
function isOwn(event) {
  return document.activeElement === root && !event.ctrlKey && !event.metaKey && !event.altKey && event.key in own;
}
// JupyterLab hears keys first, but for those below an element that says so; its other shortcuts go on as they are.
function firstKeys(event) {
  if (document.activeElement !== root) {
    window.removeEventListener("keydown", firstKeys, true);
    delete root.dataset.lmSuppressShortcuts;
    return;
  }
  if (isOwn(event)) root.dataset.lmSuppressShortcuts = "true"; else delete root.dataset.lmSuppressShortcuts;
}
root.addEventListener("keydown", function (event) {
  if (event.key === "Escape") { root.blur(); return; }
  if (!windows[at] || !isOwn(event)) return;
  const v = views[at], dx = (v.r - v.l) / 10, dy = (v.b - v.t) / 10, does = own[event.key];
  if (does === 0) reset();
  else if (does.length) move(at, { l: v.l + does[0] * dx, r: v.r + does[0] * dx, t: v.t + does[1] * dy, b: v.b + does[1] * dy });
  else zoom(at, does, [(v.l + v.r) / 2, (v.t + v.b) / 2]);
  event.preventDefault();
  event.stopPropagation();
});
button.onclick = reset;
adopt(home);
if (windows.length) tell(-1); else output.parentElement.style.display = "none";
