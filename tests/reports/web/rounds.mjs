// node rounds.mjs CHROMIUM PAGE CASE [PICTURES]: opens a page of an algorithm's rounds (opened.mjs says what every page must be) and wants
// a picture that moves, facts of what is pointed at, one rank or block by itself, and kinds that can be left out.
import { opened } from "./opened.mjs";

const [executablePath, page_path, name, pictures] = process.argv.slice(2);

await opened({ executablePath, page_path, name, pictures }, async ({ page, colorScheme, expect }) => {
  expect((await page.title()).endsWith(": rounds"), `title: ${await page.title()}`);
  const frame = () => page.locator("#view > svg").getAttribute("viewBox");
  await page.click("#fit");
  const before = await frame();
  await page.click("#in");
  expect((await frame()) !== before, "the picture does not come nearer");
  await page.click("#fit");
  expect((await frame()) === before, "the whole picture is not shown again");

  // Pointing at an arrow says what it is.
  const { items: data, words } = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
  const arrow = data.find(([x1, y1, x2, y2]) => x2 > x1 || y2 !== y1);
  const spot = await page.evaluate(([x1, y1, x2, y2]) => {
    const svg = document.querySelector("#view > svg");
    const at = new DOMPoint(x1 + 0.4 * (x2 - x1), y1 + 0.4 * (y2 - y1)).matrixTransform(svg.getScreenCTM());
    return { x: at.x, y: at.y };
  }, arrow);
  await page.mouse.move(spot.x, spot.y);
  const heading = page.locator("#facts h2");
  const titles = new Set(data.map((item) => words[item[7]]));
  expect(titles.has(await heading.textContent()), "nothing is said of an arrow that is pointed at");

  // Keys go from one to the next.
  await page.focus("#view");
  await page.keyboard.press("n");
  const first = await page.locator("#facts").textContent();
  await page.keyboard.press("n");
  expect((await page.locator("#facts").textContent()) !== first, "n does not go to the next");

  const faded = () => page.locator(".items path.faded").count();
  await page.selectOption("#only", "r0");
  const others = data.filter(([, , , , rank, peer]) => rank !== 0 && peer !== 0).length;
  expect((await faded()) === others, `${await faded()} instead of ${others} are faded where rank 0 is shown`);
  await page.selectOption("#only", "");
  expect((await faded()) === 0, "not everything is shown again");
  const kind = page.locator("[data-kind]").first();
  await kind.click();
  expect((await page.locator(".items > .hidden").count()) > 0, "no kind is left out");
  await kind.click();
  if (await page.locator("#colours").count()) {
    await page.selectOption("#colours", "by-block");
    expect(await page.evaluate(() => document.querySelector("#view > svg").classList.contains("by-block")), "colours are not those of blocks");
  }
  const dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  await page.click("#theme");
  expect((await dark()) === (colorScheme === "light"), "the button does not turn light and dark");
});
