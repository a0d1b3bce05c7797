// node browser.mjs CHROMIUM PAGE CASE [PICTURES]: opens a page of results (opened.mjs says what every page must be) and wants charts that
// react, and tables that turn pages.
import { opened } from "./opened.mjs";

const [executablePath, page_path, name, pictures] = process.argv.slice(2);

const schemes = { many: ["light"], hostile: ["dark"], history: ["light"] }[name] ?? ["light", "dark"];

await opened({ executablePath, page_path, name, pictures, schemes }, async ({ page, colorScheme, expect }) => {
  expect((await page.title()).endsWith("railgauge report"), `title: ${await page.title()}`);
  // What is far below is drawn when somebody comes there, and no sooner.
  const canvases = async () => page.locator("canvas").count();
  const seen = await canvases();
  const places = page.locator(".canvas");
  for (let i = 0; i < (await places.count()); ++i)
    if (await places.nth(i).isVisible()) {
      await places.nth(i).scrollIntoViewIfNeeded();
      await places.nth(i).locator("canvas").first().waitFor();
    }
  expect((await canvases()) > 0, "nothing was drawn");
  if (name === "many") expect((await canvases()) > seen, "all was drawn before anybody saw it");
  await page.evaluate(() => scrollTo(0, 0));

  const curves = page.locator("[data-chart=curves]");
  const drawn = async () => Number(await curves.getAttribute("data-median"));
  const before = await drawn();
  expect(before > 0, "no curve is drawn");
  const box = curves.locator("input[type=checkbox]").first();
  await box.focus();
  await page.keyboard.press("Space");
  expect((await drawn()) === before - 1, `a curve that is switched off by the keyboard leaves ${await drawn()} of ${before}`);
  await curves.getByRole("button", { name: "All curves" }).click();
  expect((await drawn()) >= before, `all curves are ${await drawn()}`);

  const dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  await page.click("#theme");
  expect((await dark()) === (colorScheme === "light"), "the button does not turn light and dark");
  await page.click("#theme");

  await page.hover("[data-chart=curves] canvas >> nth=0");
  await page.locator("details:not([open]) > summary").first().click();
  await page.evaluate(() => document.querySelectorAll("details").forEach((it) => (it.open = true)));
  if (name === "many") {
    const pages = page.locator("[data-pages=points]");
    await pages.getByRole("button", { name: "Later" }).click();
    const where = await pages.getByRole("status").textContent();
    expect(where === "201 to 400 of 40100", `the second page of the table is ${where}`);
    const cells = await page.locator("[data-chart=pairs]").getAttribute("data-cells");
    expect(cells === "10000", `the heat map has ${cells} cells`);
    await page.locator("#choice-point").selectOption("7");
    expect((await page.locator("[data-chart=samples]").getAttribute("data-point")) === "7", "no other point was chosen");
  }
  if (name === "history") {
    const trends = page.locator("[data-chart=trends]");
    expect((await trends.getAttribute("data-steps")) === "1", `the first history has ${await trends.getAttribute("data-steps")} steps`);
    expect((await page.locator("#history").textContent()).includes("1 of 2 cases have change points"), "the step is not in the sentence");
    const label = await trends.locator(".canvas").getAttribute("aria-label");
    expect(/a step at commit(19|20|21), (8|9|10|11|12)\.\d % slower/.test(label), `the drawing is called ${label}`);
    await trends.locator("select").selectOption("1");
    expect((await trends.getAttribute("data-steps")) === "0", "the other history is not shown");
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide <= 0, `the page is ${wide} pixels wider than its window`);
  if (pictures) {
    await page.setViewportSize({ width: 1100, height: 1340 });
    await page.reload();
    await page.waitForSelector("body[data-ready=yes]");
    await page.mouse.move(0, 0);
    if (name === "history") await page.locator("#history").scrollIntoViewIfNeeded();
    else await page.evaluate(() => scrollTo(0, 0));
    const take = (kind) => page.screenshot({ path: `${pictures}/report_${name}_${kind}.png`, clip: { x: 0, y: 0, ...page.viewportSize() } });
    await take(colorScheme);
    if (colorScheme === "light") {
      await page.emulateMedia({ media: "print", colorScheme });
      await page.setViewportSize({ width: 794, height: 1123 });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.waitForTimeout(500);
      await page.evaluate(() => scrollTo(0, 0));
      await take("print");
    }
  }
});
