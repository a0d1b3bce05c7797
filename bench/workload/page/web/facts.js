// What is pointed at, keys, kinds and ranks by themselves, and colours of the page of a step, beside timeline.js. No library, no network.
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  document.body.classList.add("scripted");
  let recolour = () => {};
  byId("theme").onclick = () => {
    const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
    recolour();
  };
  byId("print").onclick = () => print();
  if (!byId("view")) {
    document.body.dataset.ready = "yes";
    return;
  }
  const data = JSON.parse(byId("data").textContent);
  const picture = timeline(data);
  const { nodes, members, path, state, hidden, view } = picture;
  const { words, calls, matches, ranks } = data;
  recolour = picture.recolour;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

  // ---- facts of a node
  const facts = byId("facts");
  const help = [...facts.childNodes];
  const make = (tag, text, parent) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const digits = (value) => String(Number(value.toPrecision(3)));
  const duration = (ns) => {
    const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]].find(([its]) => ns >= its) ?? [1, "ns"];
    return `${digits(ns / size)} ${unit}`;
  };
  const bytes = (count) => {
    const [size, unit] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([its]) => count >= its) ?? [1, "bytes"];
    return `${digits(count / size)} ${unit}`;
  };
  const exposedPart = ({ rank, begin, end }) => {
    const spans = ranks[rank].exposed;
    let sum = 0;
    for (let at = 0; at < spans.length; at += 2) sum += Math.max(0, Math.min(spans[at + 1], end) - Math.max(spans[at], begin));
    return sum;
  };
  const tell = (i) => {
    const node = nodes[i];
    facts.replaceChildren();
    make("h2", words[node.name], facts);
    const rows = make("dl", "", facts);
    const fact = (name, value) => { make("dt", name, rows); make("dd", value, rows); };
    fact("rank", String(node.rank));
    fact("stream", `${node.row.number}: ${node.row.name}`);
    if (node.call >= 0) {
      const [name, label, group, itsRanks, type] = calls[node.call];
      fact("call", `${words[name]}, ${words[type]}`);
      fact("group", words[label] === words[group] ? words[group] : `${words[group]} (${words[label]})`);
      fact("of ranks", words[itsRanks]);
    } else fact("kind", "computation");
    const match = node.match >= 0 ? matches[node.match] : null;
    if (match) fact("S", bytes(match[2]));
    fact("begins at", duration(node.begin));
    fact("takes", duration(node.end - node.begin));
    if (node.call >= 0) fact("exposed", duration(exposedPart(node)));
    if (match) {
      const [together, end, size, last] = match;
      if (together > node.begin) fact("waits", `${duration(Math.min(together, node.end) - node.begin)} for rank ${last}, which comes last`);
      else fact("waits", "no: it comes last");
      fact("transfer", duration(Math.max(0, end - together)));
      if (end > together) {
        const algbw = size / (end - together);
        fact("algbw", `${digits(algbw)} GB/s`);
        fact("busbw", `${digits(algbw * calls[node.call][6])} GB/s`);
      }
    }
    const onPath = path.filter((step) => step.node === i).reduce((sum, step) => sum + step.end - step.begin, 0);
    fact("critical path", path.some((step) => step.node === i) ? `yes, ${duration(onPath)} of it` : "no");
    if (words[node.reason]) fact("source", words[node.reason]);
    view.dataset.node = String(i);
  };
  let held = false;
  const choose = (i) => {
    if (i === state.chosen) return;
    state.chosen = i;
    if (i >= 0) tell(i);
    else {
      facts.replaceChildren(...help);
      delete view.dataset.node;
    }
    picture.show();
  };
  const keep = (i) => {
    held = i >= 0;
    choose(i);
    if (held) picture.reveal(i);
  };

  // ---- mouse and fingers
  const pointers = new Map();
  let moved = 0;
  let spread = 0;
  view.addEventListener("wheel", (event) => {
    if (event.shiftKey) return;  // rows scroll
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) picture.pan(event.deltaX / picture.width());
    else picture.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - view.getBoundingClientRect().left);
  }, { passive: false });
  view.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, event); moved = 0; spread = 0; });
  view.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (!held) {
        const i = picture.nodeAt(event);
        if (i >= 0) choose(i);
      }
      return;
    }
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (pointers.size === 1 && moved > 4) {
      view.setPointerCapture(event.pointerId);
      picture.pan((before.clientX - event.clientX) / picture.width());
      if (event.pointerType === "mouse") view.scrollTop += before.clientY - event.clientY;
    }
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const apart = Math.max(1, Math.abs(a.clientX - b.clientX));
      if (spread > 0) picture.zoom(spread / apart, (a.clientX + b.clientX) / 2 - view.getBoundingClientRect().left);
      spread = apart;
    }
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) view.addEventListener(kind, (event) => pointers.delete(event.pointerId));
  view.addEventListener("click", (event) => {
    if (moved > 4) return;
    const i = picture.nodeAt(event);
    held = i >= 0;
    choose(i);
  });

  // ---- keys and buttons
  const order = nodes.map((_, i) => i).sort((a, b) => nodes[a].begin - nodes[b].begin || nodes[a].rank - nodes[b].rank);
  const next = (list, by) => {
    const at = list.indexOf(state.chosen);
    for (let step = 1; step <= list.length; step += 1) {
      const from = at < 0 && by < 0 ? 0 : at;
      const i = list[(((from + by * step) % list.length) + list.length) % list.length];
      if (picture.visible(i)) return keep(i);
    }
    return undefined;
  };
  const along = path.map((step) => step.node);
  const buttons = { in: () => picture.zoom(0.6), out: () => picture.zoom(1 / 0.6), left: () => picture.pan(-0.3), right: () => picture.pan(0.3), fit: picture.fit };
  for (const [id, act] of Object.entries(buttons)) byId(id).onclick = act;
  const anywhere = { "+": () => picture.zoom(0.75), "=": () => picture.zoom(0.75), "-": () => picture.zoom(1 / 0.75), "0": picture.fit };
  const inside = {
    ArrowLeft: () => picture.pan(-0.1), ArrowRight: () => picture.pan(0.1), n: () => next(order, 1), p: () => next(order, -1),
    c: () => next(along, 1), C: () => next(along, -1), Escape: () => keep(-1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, button, select")) return;
    const act = anywhere[event.key] ?? (view.contains(event.target) ? inside[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });
  byId("only").addEventListener("change", () => {
    state.only = byId("only").value;
    view.scrollTop = 0;
    picture.arrange();
  });
  for (const choice of document.querySelectorAll("[data-kind]"))
    choice.addEventListener("change", () => {
      if (choice.checked) hidden.delete(choice.dataset.kind);
      else hidden.add(choice.dataset.kind);
      picture.arrange();
    });
  // Nodes of the table of the critical path are shown in the timeline.
  for (const cell of document.querySelectorAll("[data-path]")) {
    const [rank, begin] = cell.dataset.path.split(",").map(Number);
    const step = path.find((its) => nodes[its.node].rank === rank && its.begin === begin);
    if (!step) continue;
    const button = make("button", "Show", cell);
    button.setAttribute("aria-label", `Show ${words[nodes[step.node].name]} of rank ${rank} in the timeline`);
    button.onclick = () => {
      state.only = byId("only").value = "";
      picture.arrange();
      keep(step.node);
      view.focus();
      view.scrollIntoView({ block: "center" });
    };
  }
  new ResizeObserver(() => picture.arrange()).observe(view);
  view.addEventListener("scroll", () => picture.show());
  addEventListener("beforeprint", () => { picture.fit(); picture.draw(); });
  document.body.dataset.ready = "yes";
})();
