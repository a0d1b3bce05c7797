// Pan and zoom of one picture: the wheel, dragging, two fingers, the buttons "in", "out" and "fit", and keys. No library, no network.
"use strict";
// `full` is the part of the drawing that "fit" shows, `start` the part that is shown first; shown(now) is called with each change.
const zoomable = ({ view, svg, full, start = full, shown = () => {} }) => {
  const now = { ...start };
  const show = () => {
    svg.setAttribute("viewBox", `${now.x} ${now.y} ${now.w} ${now.h}`);
    shown(now);
  };
  const scale = () => Math.max(now.w / view.clientWidth, now.h / view.clientHeight);
  const middle = () => ({ x: now.x + now.w / 2, y: now.y + now.h / 2 });
  const zoom = (factor, at = middle()) => {
    const limited = Math.min(Math.max(factor, 60 / now.w), (4 * full.w) / now.w);
    now.x = at.x - (at.x - now.x) * limited;
    now.y = at.y - (at.y - now.y) * limited;
    now.w *= limited;
    now.h *= limited;
    show();
  };
  const pan = (x, y) => { now.x += x * scale(); now.y += y * scale(); show(); };
  const fit = () => { Object.assign(now, full); show(); };
  const here = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return { x: point.x, y: point.y };
  };
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), here(event));
  }, { passive: false });
  const pointers = new Map();
  let spread = 0;
  let moved = 0;
  view.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    moved = 0;
    spread = 0;
  });
  view.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (pointers.size === 1 && moved > 4) {
      view.setPointerCapture(event.pointerId);
      view.classList.add("dragged");
      pan(before.clientX - event.clientX, before.clientY - event.clientY);
    }
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const apart = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (spread > 0) zoom(spread / apart);
      spread = apart;
    }
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"])
    view.addEventListener(kind, (event) => { pointers.delete(event.pointerId); view.classList.remove("dragged"); });
  const buttons = { in: () => zoom(0.7), out: () => zoom(1 / 0.7), fit };
  for (const [id, act] of Object.entries(buttons)) document.getElementById(id).onclick = act;
  const keys = {
    "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), "0": fit,
    ArrowLeft: () => pan(-60, 0), ArrowRight: () => pan(60, 0), ArrowUp: () => pan(0, -60), ArrowDown: () => pan(0, 60),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, button, select")) return;
    if (!keys[event.key] || (event.key.startsWith("Arrow") && !view.contains(event.target))) return;
    event.preventDefault();
    keys[event.key]();
  });
  show();
  return { now, show, fit, here, scale, dragged: () => moved > 4, dragging: () => pointers.size > 0 };
};
