// Draws the timeline of a step on a canvas: a row a stream of a rank, time from left to right. No library, no network.
//
// It reads of the element "data": `end` of the step; `words`, each text once; `ranks`, of each `streams` [number, word], `exposed`
// [begin, end, ...] and `nodes` [stream, begin, length, name, reason, call or -1, match or -1, ...] in the order of its list; `calls`
// [name, label, group, ranks, type, colour, factor of busbw]; `matches` [last rank came, last end, bytes, that rank]; `path`
// [rank, node, begin, end]; `labels` of groups by colour. Times are nanoseconds.
"use strict";
const stride = 7;
const timeline = (data) => {
  const byId = (id) => document.getElementById(id);
  const view = byId("view");
  const sheet = byId("sheet");
  const canvas = sheet.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const { words, calls, matches, ranks } = data;

  // ---- nodes, by row in the order of time; a node is told by one number
  const nodes = [];
  const rows = [];
  const first = [];
  ranks.forEach((rank, r) => {
    first.push(nodes.length);
    const mine = rank.streams.map(([number, name], i) => ({ rank: r, number, name: words[name], first: i === 0, list: [] }));
    for (let at = 0; at < rank.nodes.length; at += stride) {
      const [stream, begin, length, name, reason, call, match] = rank.nodes.slice(at, at + stride);
      mine[stream].list.push(nodes.length);
      nodes.push({ rank: r, row: mine[stream], begin, end: begin + length, name, reason, call, match });
    }
    for (const row of mine) row.computes = row.list.length > 0 && nodes[row.list[0]].call < 0;
    rows.push(...mine, { rank: r, name: "exposed", exposed: rank.exposed, list: [] });
  });
  const members = new Map();
  nodes.forEach(({ match }, i) => {
    if (match < 0) return;
    if (!members.has(match)) members.set(match, []);
    members.get(match).push(i);
  });
  const path = data.path.map(([rank, node, begin, end]) => ({ node: first[rank] + node, begin, end }));

  // ---- what is shown
  const now = { begin: 0, end: data.end };
  const hidden = new Set();
  const state = { only: "", chosen: -1 };
  const axis = 24;
  const gap = 7;
  const low = 0.7;  // of the rows of what is exposed
  let gutter = 150;
  let colours = {};
  let drawn = [];
  let height = 20;
  const margin = data.end * 0.01;
  const width = () => Math.max(50, view.clientWidth - gutter - 12);
  const x = (time) => gutter + ((time - now.begin) / (now.end - now.begin)) * width();
  const timeAt = (px) => now.begin + ((px - gutter) / width()) * (now.end - now.begin);

  const shownRows = () => rows.filter((row) => {
    if (row.exposed && hidden.has("exposed")) return false;
    return state.only === "" || state.only === "low" || row.rank === Number(state.only);
  });
  // Where each row is, from the top of the sheet. In low rows a rank has one: computations above, communication in the middle, what is
  // exposed below.
  const lowPlace = () => {
    const bands = [...new Set(drawn.map((row) => row.rank))];
    height = Math.min(44, Math.max(8, (window.innerHeight - 130 - axis) / bands.length));
    const top = new Map(bands.map((rank, i) => [rank, axis + 2 + i * height]));
    for (const row of drawn) {
      const [above, part] = row.exposed ? [0.8, 0.2] : row.computes ? [0.06, 0.34] : [0.42, 0.34];
      row.y = top.get(row.rank) + above * height;
      row.h = part * height;
    }
    return axis + bands.length * height;
  };
  const place = () => {
    drawn = shownRows();
    const bands = new Set(drawn.map((row) => row.rank)).size;
    const parts = drawn.reduce((sum, row) => sum + (row.exposed ? low : 1), 0);
    height = Math.min(26, Math.max(13, (window.innerHeight - 130 - axis - bands * gap) / parts));
    let y = axis;
    let before = -1;
    if (state.only === "low") y = lowPlace();
    else for (const row of drawn) {
      if (row.rank !== before) y += gap;
      before = row.rank;
      row.y = y;
      row.h = row.exposed ? height * low : height;
      y += row.h;
    }
    sheet.style.height = `${Math.ceil(y + 10)}px`;
    document.documentElement.style.setProperty("--rows", `${Math.ceil(y + 12)}px`);
  };
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    const one = (name) => style.getPropertyValue(`--${name}`).trim();
    colours = Object.fromEntries(["paper", "ink", "soft", "line", "edge", "band", "compute", "exposed", "focus"].map((name) => [name, one(name)]));
    colours.pale = Number(one("pale"));
    colours.groups = Array.from({ length: 8 }, (_, i) => one(`g${i}`));
  };
  const kindOf = (node) => (node.call < 0 ? "compute" : String(calls[node.call][5]));
  const colourOf = (node) => (node.call < 0 ? colours.compute : colours.groups[calls[node.call][5] % 8]);
  const visible = (i) => drawn.includes(nodes[i].row) && !hidden.has(kindOf(nodes[i]));

  // The first of a row's nodes that ends after `time`.
  const after = (list, time) => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (nodes[list[middle]].end > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  // ---- drawing
  const font = (px, weight = "") => `${weight} ${px}px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif`;
  const label = (text, left, room, y) => {
    const most = Math.floor(room / 6);
    if (most < 3) return;
    pen.fillText(text.length > most ? `${text.slice(0, most - 1)}…` : text, left, y);
  };
  const bars = (row) => {
    const y = row.y - view.scrollTop + 1;
    const h = Math.max(1, row.h - 2);
    let last = -1;
    for (let at = after(row.list, now.begin); at < row.list.length; at += 1) {
      const node = nodes[row.list[at]];
      if (node.begin > now.end) break;
      if (hidden.has(kindOf(node))) continue;
      const left = Math.max(gutter, x(node.begin));
      const right = Math.min(view.clientWidth, x(node.end));
      if (right < last + 0.6) continue;  // less than a pixel beside what is drawn
      last = right;
      const wide = Math.max(0.8, right - left);
      const together = node.match >= 0 ? Math.min(Math.max(x(matches[node.match][0]), left), right) : left;
      pen.fillStyle = colourOf(node);
      if (together > left) {
        pen.globalAlpha = colours.pale;
        pen.fillRect(left, y, together - left, h);
        pen.globalAlpha = 1;
      }
      if (right > together || together === left) pen.fillRect(together, y, Math.max(0.8, right - together), h);
      if (wide > 4) {
        pen.strokeStyle = colours.paper;
        pen.strokeRect(left - 0.5, y, 0, h);
      }
      if (row.h < 12 || wide < 26) continue;
      // On what transfers, or, where that is narrow, on what waits.
      const solid = right - together;
      pen.fillStyle = solid >= together - left ? colours.paper : colours.ink;
      pen.font = font(11);
      if (solid >= together - left) label(words[node.name], together + 4, solid - 8, y + h / 2 - 0.5);
      else label(words[node.name], left + 4, together - left - 8, y + h / 2 - 0.5);
    }
  };
  const exposures = (row) => {
    pen.fillStyle = colours.exposed;
    const y = row.y - view.scrollTop;
    for (let at = 0; at < row.exposed.length; at += 2) {
      const left = Math.max(gutter, x(row.exposed[at]));
      const right = Math.min(view.clientWidth, x(row.exposed[at + 1]));
      if (right > left) pen.fillRect(left, y + row.h * 0.25, Math.max(0.7, right - left), Math.max(1, row.h * 0.5));
    }
  };
  const outline = (i, colour, line) => {
    if (!visible(i)) return;
    const node = nodes[i];
    const left = x(node.begin);
    pen.strokeStyle = colour;
    pen.lineWidth = line;
    pen.strokeRect(left - 0.5, node.row.y - view.scrollTop, Math.max(2, x(node.end) - left + 1), node.row.h);
    pen.lineWidth = 1;
  };
  // Thick where it runs along a node, thin from one to the next; of nodes of less than some pixels not each connection.
  const criticalPath = () => {
    const lines = [];
    const joins = [];
    let from = null;
    let last = -10;
    for (const step of path) {
      const { row } = nodes[step.node];
      if (!drawn.includes(row)) { from = null; continue; }
      const y = row.y - view.scrollTop + row.h - 1.5;
      const left = Math.max(x(step.begin), -1e5);
      const right = Math.max(Math.min(x(step.end), 1e5), left + 1);
      if (right > gutter && left < view.clientWidth) lines.push([left, y, right, y]);
      if (from && left - last > 5 && (from.y !== y || left - from.x > 1)) {
        joins.push([from.x, from.y, left, y]);
        last = left;
      }
      from = { x: right, y };
    }
    const stroke = (list, colour, line) => {
      pen.strokeStyle = colour;
      pen.lineWidth = line;
      pen.beginPath();
      for (const [x1, y1, x2, y2] of list) { pen.moveTo(x1, y1); pen.lineTo(x2, y2); }
      pen.stroke();
    };
    stroke(lines, colours.paper, 4);
    stroke(joins, colours.ink, 1);
    stroke(lines, colours.ink, 2.5);
    pen.lineWidth = 1;
  };
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const ticks = () => {
    const span = now.end - now.begin;
    const least = (span * 90) / width();
    const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((it) => it >= least);
    const [unit, name] = units.find(([size]) => size <= Math.max(1, Math.min(step * 10, now.end)) || size === 1);
    const list = [];
    for (let time = Math.ceil(now.begin / step) * step; time <= now.end; time += step)
      list.push([time, `${Number((time / unit).toPrecision(9))} ${name}`]);
    return list;
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    const wide = view.clientWidth;
    const tall = view.clientHeight;
    gutter = wide < 600 ? 104 : 156;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(tall * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(tall * ratio);
      canvas.style.width = `${wide}px`;
      canvas.style.height = `${tall}px`;
    }
    view.dataset.shown = `${Math.round(now.begin)} ${Math.round(now.end)}`;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, tall);
    pen.textBaseline = "middle";
    const seen = drawn.filter((row) => row.y + row.h > view.scrollTop && row.y < view.scrollTop + tall);
    for (const row of seen) {
      pen.fillStyle = colours.band;
      if (row.rank % 2 === 0) pen.fillRect(0, row.y - view.scrollTop, wide, row.h);
    }
    const marks = ticks();
    pen.strokeStyle = colours.edge;
    for (const [time] of marks) {
      pen.beginPath();
      pen.moveTo(Math.round(x(time)) + 0.5, axis);
      pen.lineTo(Math.round(x(time)) + 0.5, tall);
      pen.stroke();
    }
    pen.save();
    pen.beginPath();
    pen.rect(gutter, 0, wide - gutter, tall);
    pen.clip();
    for (const row of seen) (row.exposed ? exposures : bars)(row);
    if (!hidden.has("path")) criticalPath();
    if (state.chosen >= 0) {
      const its = nodes[state.chosen].match;
      for (const other of its < 0 ? [] : members.get(its)) outline(other, colours.focus, 2);
      outline(state.chosen, colours.ink, 3);
    }
    pen.restore();
    // Names of rows, and times, stay in sight.
    let before = -1;
    for (const row of seen) {
      const y = row.y - view.scrollTop + row.h / 2;
      pen.fillStyle = colours.ink;
      pen.font = font(12, "600");
      const every = state.only === "low" ? Math.ceil(12 / height) : 1;
      if (row.rank !== before && row.rank % every === 0) pen.fillText(gutter < 120 ? `r${row.rank}` : `rank ${row.rank}`, 8, state.only === "low" ? y + height * 0.3 : y);
      before = row.rank;
      if (state.only === "low") continue;
      pen.fillStyle = row.exposed ? colours.exposed : colours.soft;
      pen.font = font(row.exposed ? 10 : 11);
      pen.textAlign = "right";
      const most = gutter < 120 ? 11 : 16;
      pen.fillText(row.name.length > most ? `${row.name.slice(0, most - 1)}…` : row.name, gutter - 6, y);
      pen.textAlign = "left";
    }
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, wide, axis);
    pen.fillStyle = colours.soft;
    pen.font = font(11);
    pen.textAlign = "center";
    for (const [time, text] of marks) if (x(time) >= gutter - 1) pen.fillText(text, Math.min(x(time), wide - 24), axis / 2);
    pen.textAlign = "left";
    pen.fillText("time", 8, axis / 2);
    pen.strokeStyle = colours.line;
    pen.beginPath();
    pen.moveTo(0, axis - 0.5);
    pen.lineTo(wide, axis - 0.5);
    pen.moveTo(gutter - 0.5, 0);
    pen.lineTo(gutter - 0.5, tall);
    pen.stroke();
  };
  let asked = false;
  const show = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };

  // ---- pan and zoom: in time alone; rows scroll
  const limits = { begin: -margin, end: data.end + margin };
  const set = (begin, span) => {
    const kept = Math.min(Math.max(span, 50), limits.end - limits.begin);
    now.begin = Math.min(Math.max(begin, limits.begin), limits.end - kept);
    now.end = now.begin + kept;
    show();
  };
  const zoom = (factor, px = gutter + width() / 2) => {
    const at = timeAt(Math.max(px, gutter));
    const span = (now.end - now.begin) * factor;
    set(at - ((at - now.begin) / (now.end - now.begin)) * span, span);
  };
  const pan = (share) => set(now.begin + share * (now.end - now.begin), now.end - now.begin);
  const fit = () => set(limits.begin, limits.end - limits.begin);
  const arrange = () => { place(); show(); };
  // Into sight, unless it is.
  const reveal = (i) => {
    const { begin, end, row } = nodes[i];
    const span = now.end - now.begin;
    if (x(end) - x(begin) < 3) set(begin - 15 * Math.max(1, end - begin), 40 * Math.max(1, end - begin));
    else if (begin < now.begin || end > now.end) set((begin + end) / 2 - Math.max(span, (end - begin) * 1.2) / 2, Math.max(span, (end - begin) * 1.2));
    if (row.y < view.scrollTop + axis || row.y + row.h > view.scrollTop + view.clientHeight) view.scrollTop = row.y - view.clientHeight / 2;
    show();
  };
  const nodeAt = (event) => {
    const box = view.getBoundingClientRect();
    const px = event.clientX - box.left;
    const y = event.clientY - box.top + view.scrollTop;
    if (px < gutter || event.clientY - box.top < axis) return -1;
    const near = ((now.end - now.begin) / width()) * 3;
    const time = timeAt(px);
    let best = -1;
    let away = near;
    for (const row of drawn) {
      if (y < row.y || y >= row.y + row.h) continue;
      for (let at = after(row.list, time - near); at < row.list.length && nodes[row.list[at]].begin <= time + near; at += 1) {
        const node = nodes[row.list[at]];
        const distance = Math.max(node.begin - time, time - node.end, 0);
        if (distance <= away && !hidden.has(kindOf(node))) { best = row.list[at]; away = distance; }
      }
    }
    return best;
  };
  readColours();
  place();
  Object.assign(now, limits);
  return { data, nodes, members, path, first, state, hidden, view, now, x, draw, show, zoom, pan, fit, set, reveal, nodeAt, visible, arrange, kindOf, width,
    recolour: () => { readColours(); show(); } };
};
