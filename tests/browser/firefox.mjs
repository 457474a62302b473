// The page of `web` in Firefox: it loads, learns an example and a file that is dropped on it, gives the program's graph, stops, and asks for nothing but its own
// files. `scripts/web --check` starts it where Firefox is installed, with the folder of the tools, that of the page, the program, and the folder of the screenshots.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { serve, test, tests } from "./harness.mjs";

const [modules, root, program, pictures] = process.argv.slice(2, 6).map((path) => resolve(path));
const puppeteer = createRequire(join(modules, "package.json"))("puppeteer-core");
const data = join(modules, "data", "firefox");
mkdirSync(pictures, { recursive: true });
mkdirSync(data, { recursive: true });
const { home, server } = await serve(root);
const browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX || "/usr/bin/firefox-esr", headless: true });

async function open(address = home, viewport = { width: 1280, height: 900 }) {
  const page = await browser.newPage();
  page.said = [];
  page.on("console", (message) => page.said.push(message.text()));
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith(home) && !/^(data|blob|file):/.test(request.url())) page.said.push("asked for " + request.url()); });
  await page.setViewport(viewport);
  await page.goto(address);
  await page.waitForFunction(() => window.plackettPage && document.getElementById("version").textContent);
  page.rest = async () => {
    await page.waitForFunction(() => { const now = window.plackettPage.state(); return !now.isBusy && (now.result || !document.getElementById("error").hidden); }, { timeout: 120000 });
    return page.evaluate(() => window.plackettPage.state());
  };
  page.done = async () => { assert.deepEqual(page.said, []); await page.close(); };
  return page;
}

function simulated(nodes, degree, rows) {
  const folder = join(data, `${nodes}-${degree}-${rows}`);
  if (!existsSync(join(folder, "data.csv"))) execFileSync(program, ["simulate", "sem", "--nodes", nodes, "--degree", degree, "--samples", rows, "--seed", 1, "--out", folder]);
  return join(folder, "data.csv");
}
const native = (...words) => JSON.parse(execFileSync(program, ["learn", ...words, "--json"], { encoding: "utf8", maxBuffer: 2 ** 28 }));
const same = (ours, theirs) => {
  const essence = ({ score, order, edges, cpdag }) => ({ score, order, edges: edges.map(({ from, to, weight }) => [from, to, weight]), cpdag });
  assert.deepEqual(essence(ours), essence(theirs));
};

/** Drops a file on the page, as a person does with a mouse. */
const drop = (page, path) => page.evaluate((name, text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name, { type: "text/csv" }));
  for (const kind of ["dragenter", "dragover", "drop"]) document.getElementById("drop").dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
}, path.split("/").pop(), readFileSync(path, "utf8"));

await test("Firefox: an example is learned, as the program learns it", async () => {
  const page = await open();
  await page.click('[data-example="asia"]');
  same((await page.rest()).result, native("--example", "asia"));
  await page.screenshot({ path: join(pictures, "firefox-desktop.png"), fullPage: true });
  await page.done();
});

await test("Firefox: a file that is dropped gives the program's graph, at the width of a phone too", async () => {
  const file = simulated(12, 2, 400), page = await open(home, { width: 390, height: 844 });
  await drop(page, file);
  same((await page.rest()).result, native(file));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth) <= 1);
  await page.screenshot({ path: join(pictures, "firefox-phone.png"), fullPage: true });
  await page.done();
});

await test("Firefox: a run is stopped, a graph is kept, and the page goes on", async () => {
  const page = await open();
  await drop(page, simulated(120, 6, 1000));
  await page.waitForFunction(() => /best graph so far/.test(document.getElementById("result-lead").textContent), { timeout: 60000 });
  await page.click("#stop");
  await page.waitForFunction(() => !window.plackettPage.state().isBusy);
  assert.ok(await page.evaluate(() => window.plackettReport.state().nodes) > 0);
  await page.click('[data-example="asia"]');
  await page.waitForFunction(() => window.plackettPage.state().result?.edges.length === 8, { timeout: 60000 });
  await page.done();
});

await test("Firefox: the page is also one file that opens from a folder", async () => {
  const page = await open("file://" + join(root, "plackett.html"));
  await page.click('[data-example="asia"]');
  assert.equal((await page.rest()).result.edges.length, 8);
  await page.done();
});

await browser.close();
server.close();
console.log(`${tests.passed} passed in Firefox`);
