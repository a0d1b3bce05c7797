// node browser.mjs CHROMIUM PAGE CASE [PICTURES]: opens the page of a validation (opened.mjs says what every page must be) and wants the map
// with its marks, a matrix that follows the choice of a rail, and tables that are sorted.
import { opened } from "./opened.mjs";

const [executablePath, page_path, name, pictures] = process.argv.slice(2);
const large = name === "large" || name === "unknown";

const schemes = { unknown: ["dark"], hostile: ["light"], inconclusive: ["dark"] }[name] ?? ["light", "dark"];

await opened({ executablePath, page_path, name, pictures, schemes }, async ({ page, colorScheme, expect }) => {
  expect((await page.title()).endsWith("railgauge validate"), `title: ${await page.title()}`);
  const map = page.locator("#map svg");
  expect((await map.count()) === 1, "there is no map");
  const faulty = await map.locator(".warning, .frame.lost, .frame.doubtful, .frame.faulty").count();
  expect((faulty === 0) === (name === "healthy"), `${faulty} parts of the map are marked`);
  if (name === "cable") {
    expect((await map.locator("g.edge.warning").count()) === 1, "the faulty link is not marked");
    expect((await map.locator("text.mark").textContent()) === "1", "the faulty link has no number");
    expect((await page.locator("#map ol li").first().textContent()).startsWith("n3:mlx5_1/1 - leaf1 port 4"), "the mark is not explained");
  }

  const shares = page.locator("[data-chart=shares]");
  const canvas = shares.locator(".canvas");
  await canvas.scrollIntoViewIfNeeded();
  await canvas.locator("canvas").first().waitFor();
  const cells = async () => Number(await shares.getAttribute("data-cells"));
  expect((await cells()) > 0, "the matrix has no cell");
  if (name === "cable" || large) {
    const before = await canvas.getAttribute("aria-label");
    await shares.locator("select").selectOption("1");
    expect((await canvas.getAttribute("aria-label")) !== before, "no other rail is shown");
    await shares.locator("select").selectOption("0");
  }
  await canvas.hover({ position: { x: 300, y: 200 } });

  // By its names: downwards and upwards, by the keyboard too.
  const table = page.locator("#hosts table").first();
  const first = async () => table.locator("tbody tr").first().locator("th").textContent();
  const head = table.locator("thead button").first();
  await head.click();
  const up = await first();
  await head.focus();
  await page.keyboard.press("Enter");
  const down = await first();
  expect((await table.locator("thead th").first().getAttribute("aria-sort")) === "descending", "the order is not told");
  const last = { large: "n2047", unknown: "n2047", inconclusive: "n127" }[name] ?? "n7";
  if (name !== "hostile") expect(up === "n0" && down === last, `sorted by name, ${up} and ${down} come first`);
  const off = table.locator("thead button", { hasText: "off" }).first();
  await off.click();
  const worst = await first();
  const expected = { cable: "n3", large: "n1000", unknown: "n1000" }[name];
  if (expected) expect(worst === expected, `sorted by how far it is off, ${worst} comes first`);

  const dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  await page.click("#theme");
  expect((await dark()) === (colorScheme === "light"), "the button does not turn light and dark");
  await page.click("#theme");
  await page.evaluate(() => document.querySelectorAll("details").forEach((it) => (it.open = true)));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide <= 0, `the page is ${wide} pixels wider than its window`);
  if (pictures) {
    await page.setViewportSize({ width: 1200, height: 1400 });
    await page.reload();
    await page.waitForSelector("body[data-ready=yes]");
    await page.mouse.move(0, 0);
    await page.locator("[data-chart=shares] .canvas").scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    if (large) await page.screenshot({ path: `${pictures}/validation_${name}_matrix_${colorScheme}.png` });
    await page.evaluate(() => scrollTo(0, 0));
    const take = (kind) => page.screenshot({ path: `${pictures}/validation_${name}_${kind}.png`, fullPage: !large });
    await take(colorScheme);
    if (colorScheme === "light") {
      await page.emulateMedia({ media: "print", colorScheme });
      await page.setViewportSize({ width: 794, height: 1123 });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.waitForTimeout(500);
      await take("print");
    }
  }
});
