// node build.mjs OUTPUT: bundles src/main.ts, with what of ECharts it imports, into one script, and writes its SHA-256 beside it as a
// content security policy names it. Run in a folder with node_modules.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT");

// Their licences ask to be where their code is.
const notices = [];
for (const file of ["echarts/NOTICE", "zrender/LICENSE", "tslib/LICENSE.txt"])
  notices.push(`${file}:\n${(await readFile(`node_modules/${file}`, "utf8")).trim()}`);
const banner = `/*! ${notices.join("\n\n").replaceAll("*/", "* /").replaceAll("<", "(")} */`;

const result = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "ascii",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
  logLevel: "warning",
});
// A page is of ASCII and UTF-8; the notices are made ASCII, so that every compiler takes the script as a string.
const script = `${banner.replace(/[^\x20-\x7e\n]/g, "?")}\n${result.outputFiles[0].text}`;
if (/<\/script|<!--/i.test(script)) throw new Error("the bundle holds what would end its script element");
await writeFile(output, script);
await writeFile(`${output}.sha256`, `${createHash("sha256").update(script).digest("base64")}\n`);
