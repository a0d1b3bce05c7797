// Fills the places that the page keeps for charts, and its two buttons.
import { drawCurves } from "./curves";
import { readContents, type Contents } from "./data";
import { drawPairs } from "./heat";
import { element, isDark, redrawAll } from "./page";
import { turnPages } from "./pages";
import { drawRanks } from "./ranks";
import { drawSamples } from "./samples";
import { drawShares } from "./shares";
import { sortable } from "./sort";
import { drawTrends } from "./trends";

function recolour(): void {
  document.dispatchEvent(new Event("railgauge-colours"));
  redrawAll();
}

function addTools(): void {
  const tools = document.getElementById("tools");
  const root = document.documentElement.classList;
  const turn = (dark: boolean): void => {
    root.toggle("dark", dark);
    root.toggle("light", !dark);
    recolour();
  };
  const theme = element("button", tools, "Light or dark");
  theme.id = "theme";
  theme.addEventListener("click", () => turn(!isDark()));
  element("button", tools, "Print").addEventListener("click", () => print());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

  // Paper is light, and has nothing to unfold.
  let before = "";
  let folded: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    before = document.documentElement.className;
    folded = [...document.querySelectorAll("details")].filter((it) => !it.open);
    for (const it of folded) it.open = true;
    turn(false);
    redrawAll(true);
  });
  addEventListener("afterprint", () => {
    for (const it of folded) it.open = false;
    document.documentElement.className = before;
    recolour();
  });
}

const painters: Record<string, (root: Element, contents: Contents) => void> = { curves: drawCurves, pairs: drawPairs, samples: drawSamples, ranks: drawRanks, trends: drawTrends, shares: drawShares };

const contents = readContents();
addTools();
for (const root of document.querySelectorAll<HTMLElement>("[data-chart]")) painters[root.dataset["chart"] ?? ""]?.(root, contents);
for (const root of document.querySelectorAll("[data-pages=points]")) turnPages(root, contents);
for (const root of document.querySelectorAll("[data-sortable]")) sortable(root);
document.body.dataset["ready"] = "yes";
