// Facts of what is pointed at, one rank or block by itself, and colours of one page, beside base/page/zoom.js. No library, no network.
(() => {
  const byId = (id) => document.getElementById(id);
  const view = byId("view");
  const svg = view.querySelector("svg");
  const facts = byId("facts");
  const data = JSON.parse(byId("data").textContent);
  const { items } = data;
  const shapes = [...svg.querySelectorAll(".items path")];
  const words = [...svg.querySelectorAll(".word")];
  const whole = svg.viewBox.baseVal;

  // ---- pan and zoom: all of it where its words can be read, else its beginning. Names of ranks and columns stay in sight.
  const most = 1.4;
  const readable = 0.9;
  const least = 0.7;
  const full = { x: whole.x, y: whole.y, w: Math.max(whole.width, view.clientWidth / most), h: Math.max(whole.height, view.clientHeight / most) };
  const fits = Math.min(view.clientWidth / full.w, view.clientHeight / full.h);
  const start = fits >= least ? full : { x: full.x, y: full.y, w: view.clientWidth / readable, h: view.clientHeight / readable };
  const ranks = svg.querySelector(".axis.ranks");
  const columns = svg.querySelector(".axis.columns");
  const edge = full.x;
  const top = full.y;
  const shown = (now) => {
    ranks.setAttribute("transform", `translate(${Math.max(0, now.x - edge)} 0)`);
    columns.setAttribute("transform", `translate(0 ${Math.max(0, now.y - top)})`);
  };
  const picture = zoomable({ view, svg, full, start, shown });

  // ---- facts
  const make = (tag, text, parent) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const visible = (i) => !shapes[i].parentNode.classList.contains("hidden") && !shapes[i].classList.contains("faded");
  let chosen = -1;
  let held = false;
  const choose = (i) => {
    if (chosen >= 0) shapes[chosen].classList.remove("chosen");
    chosen = i;
    if (i < 0) return;
    shapes[i].classList.add("chosen");
    const [, , , , , , , title, list] = items[i];
    facts.replaceChildren();
    make("h2", data.words[title], facts);
    const rows = make("dl", "", facts);
    for (let at = 0; at + 1 < list.length; at += 2) {
      make("dt", data.words[list[at]], rows);
      make("dd", data.words[list[at + 1]], rows);
    }
  };
  const distance = ([x1, y1, x2, y2], { x, y }) => {
    const wide = x2 - x1;
    const tall = y2 - y1;
    const square = wide * wide + tall * tall;
    const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * wide + (y - y1) * tall) / square));
    return Math.hypot(x1 + part * wide - x, y1 + part * tall - y);
  };
  // Marks before the arrows that end there.
  const nearest = (event) => {
    const point = picture.here(event);
    const near = Math.max(6, 8 * picture.scale());
    let best = -1;
    let least = near;
    for (let i = 0; i < items.length; i += 1) {
      const [x1, y1, x2, y2] = items[i];
      const away = distance(items[i], point) - (x1 === x2 && y1 === y2 ? 5 : 0);
      if (away < least && visible(i)) {
        least = away;
        best = i;
      }
    }
    return best;
  };
  svg.addEventListener("pointermove", (event) => {
    if (held || picture.dragging()) return;
    const i = nearest(event);
    if (i >= 0 && i !== chosen) choose(i);
  });
  svg.addEventListener("click", (event) => {
    if (picture.dragged()) return;
    const i = nearest(event);
    held = i >= 0;
    choose(i);
  });
  const order = items.map((_, i) => i).sort((a, b) => items[a][0] - items[b][0] || items[a][1] - items[b][1]);
  view.addEventListener("keydown", (event) => {
    const by = event.key === "n" ? 1 : event.key === "p" ? -1 : 0;
    if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const first = order.indexOf(chosen);
    for (let step = 1; step <= order.length; step += 1) {
      const from = first < 0 && by < 0 ? 0 : first;
      const i = order[(((from + by * step) % order.length) + order.length) % order.length];
      if (!visible(i)) continue;
      held = true;
      choose(i);
      return;
    }
  });

  // ---- one rank or one block by itself, kinds, colours, light and dark
  const holds = (blocks, block) => {
    for (let i = 0; i + 1 < blocks.length; i += 2) if (block >= blocks[i] && block < blocks[i] + blocks[i + 1]) return true;
    return false;
  };
  const only = () => {
    const wanted = byId("only").value;
    const number = Number(wanted.slice(1));
    const fits = ([, , , , rank, peer, blocks]) => wanted === "" || (wanted[0] === "r" ? rank === number || peer === number : holds(blocks, number));
    shapes.forEach((shape, i) => shape.classList.toggle("faded", !fits(items[i])));
    for (const word of words) word.classList.toggle("hidden", !visible(Number(word.dataset.i)));
  };
  byId("only").addEventListener("change", only);
  for (const choice of document.querySelectorAll("[data-kind]"))
    choice.addEventListener("change", () => {
      for (const it of svg.querySelectorAll(".items > ." + CSS.escape(choice.dataset.kind))) it.classList.toggle("hidden", !choice.checked);
      only();
    });
  const colours = byId("colours");
  if (colours) colours.addEventListener("change", () => {
    items.forEach(([, , , , , , blocks], i) => { if (blocks.length) shapes[i].classList.add(`b${blocks[0] % 8}`); });
    svg.classList.toggle("by-block", colours.value !== "");
  });
  byId("theme").onclick = () => {
    const root = document.documentElement;
    const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
  };
  byId("print").onclick = () => print();
  addEventListener("beforeprint", picture.fit);
  document.body.dataset.ready = "yes";
})();
