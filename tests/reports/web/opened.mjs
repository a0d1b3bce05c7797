// What every page of ours must be in a browser, light and dark: an empty console, no request to anywhere, no serious finding of axe. How
// long it took to open is printed, and is no test.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

// `look` looks at the page further. Ends this process: with 0 where nothing was wrong.
export async function opened({ executablePath, page_path, name }, look) {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const address = pathToFileURL(page_path).href;
  const problems = [];
  const expect = (truth, words) => {
    if (!truth) problems.push(words);
  };

  // axe has to be let past the page's own policy, which forbids every script but its own.
  async function findings(colorScheme) {
    const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForSelector("body[data-ready=yes]");
    await page.addScriptTag({ content: axe });
    const list = await page.evaluate(async () =>
      (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations.map((it) => [it.impact, it.id, it.nodes.length, it.nodes[0].html.slice(0, 200)]));
    await context.close();
    for (const [impact, ...rest] of list)
      if (impact === "serious" || impact === "critical") problems.push(`axe, ${colorScheme}: ${rest.join(", ")}`);
  }

  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  try {
    for (const colorScheme of ["light", "dark"]) {
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
