// What the tests in browsers have in common: Chromium, a host of static files, pages whose words and requests are kept, and tests that are counted.
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Chromium, and the text of axe, with what was installed into the folder of the tools. */
export async function start(tools) {
  const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: FLAGS });
  return { browser, axe: readFileSync(join(tools, "node_modules/axe-core/axe.min.js"), "utf8") };
}

/** A host of the files in a folder, at `home` until `server` is closed. */
export async function serve(root) {
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
  const server = createServer((request, answer) => {
    const path = join(root, decodeURIComponent(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html"));
    if (!path.startsWith(root) || !existsSync(path)) { answer.writeHead(404); answer.end(); return; }
    answer.writeHead(200, { "Content-Type": types[extname(path)] || "text/plain" });
    answer.end(readFileSync(path));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { home: `http://127.0.0.1:${server.address().port}/`, server };
}

/** A page in a context of its own. `page.said` are its messages, faults and questions, and the requests that `isOwn` does not allow; `page.asked` are all requests. */
export async function listened(browser, options, isOwn) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.said = [];
  page.asked = [];
  page.on("console", (message) => page.said.push(message.text()));
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.on("dialog", (dialog) => { page.said.push("dialog: " + dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => {
    page.asked.push(request.url());
    if (!isOwn(request.url())) page.said.push("asked for " + request.url());
  });
  return page;
}

export const tests = { passed: 0 };

/** Runs a test, unless others are wanted. A failure is told, and the others go on. */
export async function test(name, body, wanted) {
  if (wanted && !name.includes(wanted)) return;
  try {
    await body();
    tests.passed += 1;
    console.log("ok    " + name);
  } catch (error) {
    console.error("FAILED " + name + "\n" + error.stack);
    process.exitCode = 1;
  }
}
