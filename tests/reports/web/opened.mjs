// What every page of ours must be in a browser, light and dark, on a desk and on a phone: an empty console, no request to anywhere, no
// finding of axe, nothing that is cut, overlaps or scrolls sideways but a table. How long it took to open is printed, and is no test.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const viewports = [{ width: 1400, height: 900 }, { width: 390, height: 844 }];

// Runs in the page, with all of it unfolded: what is cut, what scrolls sideways beside tables, and which controls and headings overlap.
function layout() {
  for (const it of document.querySelectorAll("details")) it.open = true;
  const named = (it) => `<${it.localName}${it.id ? ` id=${it.id}` : ""}${typeof it.className === "string" && it.className ? ` class=${it.className}` : ""}> "${(it.textContent ?? "").trim().slice(0, 40)}"`;
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth - root.clientWidth} pixels wider than its window`);
  for (const it of document.querySelectorAll("body *")) {
    if (it.closest(".scroll, svg, select, .skip, .canvas, #view") || it.clientWidth === 0) continue;
    if (it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX !== "visible") found.push(`scrolls sideways or is cut: ${named(it)}`);
    const box = it.getBoundingClientRect();
    if (box.right > root.clientWidth + 1 || box.left < -1) found.push(`reaches out of the window: ${named(it)}`);
  }
  // What is seen of it: less what an element around it that scrolls has out of sight.
  const seen = (it) => {
    let { left, right, top, bottom } = it.getBoundingClientRect();
    for (let around = it.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowY === "visible") continue;
      const box = around.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const boxes = [...document.querySelectorAll("h1, h2, h3, button, select, input[type=search], label, nav a, .verdict, .canvas, #view")]
    .filter((it) => it.checkVisibility() && !it.closest(".scroll, #view *"))
    .map((it) => ({ it, box: seen(it) }));
  scrollTo(0, 0);
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) {
      if (a.it.contains(b.it) || b.it.contains(a.it)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const tall = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 1 && tall > 1) found.push(`overlap: ${named(a.it)} and ${named(b.it)}`);
    }
  });
  return found.slice(0, 12);
}

// `look` looks at the page further. Ends this process: with 0 where nothing was wrong.
// `schemes`: a page may be looked at in one, where another of the same kind was seen in both.
export async function opened({ executablePath, page_path, name, pictures = "", schemes = ["light", "dark"] }, look) {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const address = pathToFileURL(page_path).href;
  const problems = [];
  const expect = (truth, words) => {
    if (!truth) problems.push(words);
  };

  // axe has to be let past the page's own policy, which forbids every script but its own. It takes seconds of a processor for each
  // look: at the wide page in light and at the narrow one in dark.
  async function findings(colorScheme) {
    const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport: viewports[0] });
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForSelector("body[data-ready=yes]");
    await page.addScriptTag({ content: axe });
    for (const viewport of viewports) {
      await page.setViewportSize(viewport);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const looked = schemes.length === 1 || (viewport === viewports[0]) === (colorScheme === "light");
      const list = !looked ? [] : await page.evaluate(async () =>
        (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations.map((it) => [it.impact, it.id, it.nodes.length, it.nodes[0].html.slice(0, 200)]));
      const misplaced = await page.evaluate(layout);
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));
      if (paper.every((channel) => channel > 127) !== (colorScheme === "light")) misplaced.push(`the paper is rgb(${paper.join(", ")})`);
      if (pictures) await page.screenshot({ path: `${pictures}/${name}_${colorScheme}_${viewport.width}.png` });
      for (const it of [...list.map((row) => `axe: ${row.join(", ")}`), ...misplaced]) problems.push(`${colorScheme}, ${viewport.width} wide: ${it}`);
    }
    await context.close();
  }

  // Suggestions for the address bar are pages of their own, which each window loads: more than half of what a processor does for it.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,AimEnabled,MediaRouter,OptimizationHints"] });
  try {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
      context.setDefaultTimeout(30000);
      const page = await context.newPage();
      page.on("console", (message) => problems.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
      page.on("request", (request) => {
        if (request.url() !== address && !request.url().startsWith("data:")) problems.push(`request: ${request.url()}`);
      });
      const counters = await context.newCDPSession(page);
      await counters.send("Performance.enable");
      const start = performance.now();
      await page.goto(address, { waitUntil: "load" });
      await page.waitForSelector("body[data-ready=yes]");
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const wall = Math.round(performance.now() - start);
      const { metrics } = await counters.send("Performance.getMetrics");
      const milliseconds = (key) => Math.round(1000 * (metrics.find((it) => it.name === key)?.value ?? 0));
      console.log(`${name}, ${colorScheme}: open after ${wall} ms; its thread was busy for ${milliseconds("TaskDuration")} ms, of which scripts ran for ${milliseconds("ScriptDuration")} ms`);
      await findings(colorScheme);
      await look({ page, colorScheme, expect });
      await context.close();
    }
  } finally {
    await browser.close();
  }
  for (const problem of problems) console.log(`wrong: ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}
