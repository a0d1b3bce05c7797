// node topology.mjs CHROMIUM PAGE CASE [PICTURES]: opens a page of a topology or a fabric (opened.mjs says what every page must be) and wants
// a picture that moves, facts of what is chosen, and a search that finds.
import { opened } from "./opened.mjs";

const [executablePath, page_path, name, pictures] = process.argv.slice(2);

await opened({ executablePath, page_path, name, pictures }, async ({ page, colorScheme, expect }) => {
  expect((await page.title()).endsWith(": topology"), `title: ${await page.title()}`);
  const frame = () => page.locator("#view > svg").getAttribute("viewBox");
  const before = await frame();
  await page.click("#in");
  expect((await frame()) !== before, "the picture does not come nearer");
  await page.click("#fit");
  expect((await frame()) === before, "the whole picture is not shown again");
  const title = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).boxes.find(([it]) => it)[0]);
  await page.fill("#find", title);
  await page.press("#find", "Enter");
  expect((await page.locator("#facts h2").textContent()) === title, `the facts are not those of ${title}`);
  const dark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
  await page.click("#theme");
  expect((await dark()) === (colorScheme === "light"), "the button does not turn light and dark");
});
