// node step.mjs CHROMIUM PAGE CASE [PICTURES]: opens a page of a training step (opened.mjs says what every page must be) and wants a timeline that
// is drawn, moves and zooms, facts of what is pointed at, keys, kinds and ranks that can be left out, and figures where no script runs.
import { pathToFileURL } from "node:url";
import { opened } from "./opened.mjs";

const [executablePath, page_path, name, pictures] = process.argv.slice(2);

await opened({ executablePath, page_path, name, pictures }, async ({ page, colorScheme, expect }) => {
  expect((await page.title()).endsWith(": a training step"), `title: ${await page.title()}`);
  const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const frame = async () => {
    await settled();
    return page.evaluate(() => document.getElementById("view").dataset.shown);
  };
  const colours = async () => {
    await settled();
    return page.evaluate(() => {
      const canvas = document.querySelector("canvas");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const pen = copy.getContext("2d", { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const all = pen.getImageData(0, 0, copy.width, copy.height).data;
      const found = new Map();
      for (let at = 0; at < all.length; at += 4) {
        const key = `${all[at]},${all[at + 1]},${all[at + 2]}`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
      return [...found].filter(([, count]) => count > 50).length;
    });
  };
  expect((await colours()) > 5, "nothing is drawn");

  await page.click("#fit");
  const whole = await frame();
  await page.click("#in");
  const near = await frame();
  expect(near !== whole, "the timeline does not come nearer");
  await page.click("#right");
  expect((await frame()) !== near, "the timeline does not move");
  await page.click("#fit");
  expect((await frame()) === whole, "the whole step is not shown again");
  const box = await page.locator("#view").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.wheel(0, -300);
  expect((await frame()) !== whole, "the wheel does not zoom");
  await page.click("#fit");

  // Pointing at a bar says what it is: somewhere in the first rows is one.
  const heading = page.locator("#facts h2");
  for (let i = 0; i < 60 && (await heading.count()) === 0; i += 1) await page.mouse.move(box.x + 170 + (i % 20) * 30, box.y + 40 + 16 * Math.floor(i / 20));
  expect((await heading.count()) === 1, "nothing is said of a bar that is pointed at");

  // Keys go from one to the next, in time and along the critical path.
  const { words, path, ranks } = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
  await page.focus("#view");
  await page.keyboard.press("Escape");
  expect((await heading.count()) === 0, "Escape does not let go");
  await page.keyboard.press("c");
  const [rank, node] = path[0];
  expect((await heading.textContent()) === words[ranks[rank].nodes[node * 7 + 3]], "c does not go to the first node of the critical path");
  const first = await page.locator("#facts").textContent();
  await page.keyboard.press("n");
  expect((await page.locator("#facts").textContent()) !== first, "n does not go to the next");
  await page.keyboard.press("0");
  expect((await frame()) === whole, "0 does not show the whole step");

  // A call tells its group, bytes and bandwidth.
  for (let i = 0; i < 40 && !(await page.locator("#facts").textContent()).includes("algbw"); i += 1) await page.keyboard.press("n");
  const facts = await page.locator("#facts dt").allTextContents();
  for (const fact of ["rank", "stream", "call", "group", "of ranks", "S", "begins at", "takes", "exposed", "waits", "algbw", "busbw", "critical path"])
    expect(facts.includes(fact), `the facts of a call lack ${fact}`);

  const all = await colours();
  const kinds = page.locator("[data-kind]");
  for (const kind of await kinds.all()) await kind.uncheck();
  expect((await colours()) < all, "kinds that are left out are still drawn");
  for (const kind of await kinds.all()) await kind.check();
  for (const choice of ["low", "0", ""]) {
    await page.selectOption("#only", choice);
    expect((await colours()) > 5, `nothing is drawn where "${choice}" is chosen`);
  }
  await page.click("[data-path] button >> nth=0");
  expect((await heading.count()) === 1, "the table of the critical path shows nothing");
  const dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  await page.click("#theme");
  expect((await dark()) === (colorScheme === "light"), "the button does not turn light and dark");

  const pairs = page.locator(".pair");
  if (name === "step_beside") {
    const titles = await page.locator("h2").allTextContents();
    for (const title of ["The step, before and after set leaf-1:1 bandwidth=5", "Its calls, predicted beside measured"])
      expect(titles.includes(title), `there is no table "${title}"`);
    // The bars of a row are as long as its times are: that of the slower one is as wide as the column, or another row is longer.
    const widths = await page.locator(".pair span").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    expect(widths.length === 2 * (await pairs.count()) && widths.length >= 32, `${widths.length} bars are there`);
    expect(Math.max(...widths) > 100, "the bars beside each other have no length");
  } else {
    expect((await pairs.count()) === 0, "there are bars beside each other, and nothing is compared");
  }

  const plain = await page.context().browser().newContext({ javaScriptEnabled: false });
  const inert = await plain.newPage();
  await inert.goto(pathToFileURL(page_path).href);
  expect(await inert.locator(".card strong").first().isVisible(), "no figures without a script");
  expect(await inert.locator("noscript p").isVisible(), "it is not said that the timeline needs a script");
  expect(!(await inert.locator("#view").isVisible()) && !(await inert.locator("#in").isVisible()), "an empty timeline without a script");
  await plain.close();
});
