// Search, filter and facts of one page, beside base/page/zoom.js. No library, no network.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const view = byId("view");
  const svg = view.querySelector("svg");
  const facts = byId("facts");
  const found = byId("found");
  const data = JSON.parse(byId("data").textContent);
  const whole = svg.viewBox.baseVal;
  // Small pictures are not blown up beyond one and a half times.
  const wide = Math.max(whole.width, view.clientWidth / 1.5);
  const full = { x: whole.x - (wide - whole.width) / 2, y: whole.y, w: wide, h: Math.max(whole.height, view.clientHeight / 1.5) };
  const picture = zoomable({ view, svg, full });
  const { now, show, fit } = picture;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, button")) return;
    event.preventDefault();
    byId("find").focus();
  });

  // ---- facts
  const make = (tag, text, parent) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  let chosen = null;
  const choose = (element) => {
    if (chosen) chosen.classList.remove("chosen");
    chosen = element;
    if (element) element.classList.add("chosen");
  };
  const tell = (element) => {
    const box = element.dataset.b !== undefined;
    const [title, list] = box ? data.boxes[element.dataset.b] : data.edges[element.dataset.e];
    if (!title) return;
    facts.replaceChildren();
    make("h2", title, facts);
    const rows = make("dl", "", facts);
    for (let i = 0; i + 1 < list.length; i += 2) {
      make("dt", list[i], rows);
      make("dd", list[i + 1], rows);
    }
    const inside = box && data.members[element.dataset.b];
    if (!inside) return;
    for (const [place, names] of inside.slice(0, 12)) {
      const shown = names.slice(0, 40).join(", ");
      make("p", (place ? place + ": " : "stands for: ") + shown + (names.length > 40 ? ` and ${names.length - 40} more` : ""), facts);
    }
  };
  const part = (event) => event.target.closest("[data-b], [data-e]");
  let held = false;
  svg.addEventListener("pointerover", (event) => { if (part(event) && !held && !picture.dragging()) tell(part(event)); });
  svg.addEventListener("focusin", (event) => { if (part(event)) { tell(part(event)); choose(part(event)); } });
  svg.addEventListener("click", (event) => {
    if (picture.dragged()) return;
    held = Boolean(part(event));
    choose(part(event));
    if (held) tell(part(event));
  });

  // ---- search
  const element = (box) => svg.querySelector(`[data-b="${box}"]`);
  const go = (box, name) => {
    for (const old of svg.querySelectorAll(".found")) old.classList.remove("found");
    const target = element(box);
    if (!target) return;
    target.classList.add("found");
    tell(target);
    held = true;
    const frame = target.getBBox();
    const shift = target.getCTM() && svg.getCTM() ? svg.getCTM().inverse().multiply(target.getCTM()) : { e: 0, f: 0 };
    const wide = Math.min(full.w, Math.max(frame.width * 2.5, 700));
    now.w = wide;
    now.h = wide * (view.clientHeight / view.clientWidth || 0.6);
    now.x = frame.x + shift.e + frame.width / 2 - now.w / 2;
    now.y = frame.y + shift.f + frame.height / 2 - now.h / 2;
    show();
    document.body.dataset.found = name;
  };
  const index = [];
  data.boxes.forEach(([title, list], box) => {
    if (!title) return;
    index.push([title, "", box]);
    for (let i = 0; i + 1 < list.length; i += 2)
      if (["name", "key", "uuid", "node guid", "interfaces", "verbs", "serial"].includes(list[i])) index.push([list[i + 1], title, box]);
  });
  for (const [box, places] of Object.entries(data.members))
    for (const [place, names] of places)
      for (const name of names) index.push([name, (data.boxes[box][0] || "") + (place ? ", " + place : ""), Number(box)]);
  const find = (text, jump) => {
    const wanted = text.trim().toLowerCase();
    found.replaceChildren();
    delete document.body.dataset.found;
    if (!wanted) return;
    const exact = [];
    const begins = [];
    const within = [];
    const seen = new Set();
    for (const entry of index) {
      const name = entry[0].toLowerCase();
      const place = name.indexOf(wanted);
      if (place < 0) continue;
      const once = name + "\n" + entry[2];
      if (seen.has(once)) continue;
      seen.add(once);
      (name === wanted ? exact : place === 0 ? begins : within).push(entry);
    }
    const all = [...exact, ...begins, ...within];
    make("p", all.length === 0 ? `nothing is called "${text.trim()}"` : all.length === 1 ? "1 match" : `${all.length} matches`, found);
    const list = make("ol", "", found);
    for (const [name, place, box] of all.slice(0, 50)) {
      const button = make("button", name, make("li", "", list));
      if (place && place !== name) make("small", "in " + place, button);
      button.onclick = () => go(box, name);
    }
    if (jump && all.length) go(all[0][2], all[0][0]);
  };
  let wait = 0;
  byId("find").addEventListener("input", (event) => { clearTimeout(wait); wait = setTimeout(() => find(event.target.value, false), 120); });
  byId("find").addEventListener("keydown", (event) => { if (event.key === "Enter") find(event.target.value, true); });

  // ---- filter by kind, light and dark
  for (const choice of document.querySelectorAll("[data-kind]"))
    choice.addEventListener("change", () => {
      for (const it of svg.querySelectorAll("." + CSS.escape(choice.dataset.kind))) it.classList.toggle("hidden", !choice.checked);
    });
  const wrong = byId("wrong");
  if (wrong) wrong.addEventListener("change", () => {
    for (const it of svg.querySelectorAll("g.edge, g.label, g.card, g.bar, g.folded")) it.classList.toggle("faded", wrong.checked && !it.classList.contains("warning"));
  });
  byId("theme").onclick = () => {
    const root = document.documentElement;
    const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
  };
  byId("print").onclick = () => print();

  // ---- "#find=NAME"
  const address = () => {
    const match = /[#&]find=([^&]*)/.exec(location.hash);
    if (!match) return;
    let text = match[1];
    try { text = decodeURIComponent(text); } catch { /* as it stands */ }
    byId("find").value = text;
    find(text, true);
  };
  addEventListener("hashchange", address);
  addEventListener("beforeprint", fit);
  address();
  document.body.dataset.ready = "yes";
})();
