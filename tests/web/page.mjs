// Drives the page in Chromium as people do, and prints what it saw as JSON; page_test.py judges it.
//
//   node page.mjs < PLAN   {"url", "modules", "shots", "admin": token, "member": token, "files": {…}, …}
//
// What a browser reports as wrong (errors in scripts, refusals of the content security policy, broken
// requests) is collected as `complaints`.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";

const plan = JSON.parse(fs.readFileSync(0, "utf8"));
const need = createRequire(path.join(plan.modules, "package.json"));
const { chromium } = need("playwright-core");
const { AxeBuilder } = need("@axe-core/playwright");

const saw = { complaints: [], axe: {}, wide: {} };
const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox"] });

async function open(token, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => saw.complaints.push(`script: ${error.message}`));
  page.on("console", (message) => {
    // A refused call is answered with its status, and the browser says so: that is no complaint.
    const refusal = /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !refusal) saw.complaints.push(`console: ${message.text()}`);
  });
  await page.goto(plan.url);
  await page.fill("input[name=token]", token);
  await page.click("button[type=submit]");
  await page.waitForSelector("nav");
  return page;
}
const settled = (page) => page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Asking the lab"));
async function go(page, place) {
  await page.goto(plan.url + place);
  await page.waitForSelector("main h1");
  await settled(page);
}

// --- what does not let anybody in ---------------------------------------------------------------

async function wrongToken() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(plan.url + "spending");
  await page.fill("input[name=token]", "pk_wrong");
  await page.click("button[type=submit]");
  saw.refused = await page.textContent("[role=alert]");
  saw.rowsBefore = await page.locator("td").count();
  await context.close();
}

// --- an admin at a desk ---------------------------------------------------------------------------

async function spending(page) {
  saw.sums = {};
  await go(page, "spending");
  for (const by of plan.dimensions) {
    await page.selectOption("select >> nth=1", by);
    await page.waitForSelector(`[data-total][data-by="${by}"]`);
    saw.sums[by] = await page.evaluate(() => ({
      rows: [...document.querySelectorAll("[data-amount]")].map((cell) => cell.dataset.amount),
      total: document.querySelector("[data-total]")?.dataset.total,
      shown: document.querySelector("[data-total]")?.textContent,
    }));
  }
  await page.selectOption("select >> nth=1", "member");
  await page.waitForSelector('[data-total][data-by="member"]');
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
  saw.csv = fs.readFileSync(await download.path(), "utf8");
  saw.drawn = await page.locator("canvas").count();
}

async function settle(page) {
  await go(page, "settle");
  saw.positions = await page.$$eval("[data-position]", (cells) => cells.map((cell) => cell.dataset.position));
  page.once("dialog", (dialog) => dialog.accept());
  await page.click("text=Close the month");
  saw.closing = await page.textContent("[role=alert]"); // it is not over yet
}

async function submit(page) {
  await go(page, "submit");
  await page.selectOption("select >> nth=0", "cpu");
  await page.fill("input[name=command]", plan.command);
  await page.fill("input[name=name]", plan.name);
  await page.fill("input[name=time]", "10m");
  await page.click("text=Price it");
  saw.quote = await page.textContent("table b");
  await page.click("form button[type=submit]");
  const link = page.locator("[role=status] a");
  saw.job = (await link.getAttribute("href")).split("/").pop();
  await link.click();
  await page.waitForSelector("[role=log]");
}

// The job waits for a file: what it prints afterwards has to appear without a reload.
async function liveLog(page) {
  const log = page.locator("[role=log]");
  await log.getByText("before the file").waitFor();
  await page.evaluate(() => (window.notReloaded = true));
  fs.writeFileSync(plan.file, "");
  await log.getByText("after the file").waitFor();
  await page.locator("h1 .state", { hasText: "COMPLETED" }).waitFor();
  saw.notReloaded = await page.evaluate(() => window.notReloaded === true);
  saw.log = await log.innerText();
  saw.title = await page.locator("h1 .clip").innerText();
  saw.injected = await page.evaluate(() => window.injected === true || document.querySelector("main img, main b b") !== null);
}

async function everyView(page, size) {
  for (const [name, place] of Object.entries(plan.views)) {
    await go(page, place);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: path.join(plan.shots, `${name}-${size}.png`), fullPage: true });
    // Nothing may stick out sideways but what scrolls by itself.
    saw.wide[`${name}-${size}`] = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const found = await new AxeBuilder({ page }).analyze();
    saw.axe[`${name}-${size}`] = found.violations
      .filter((violation) => ["serious", "critical"].includes(violation.impact))
      .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.target).join(" ")}`);
  }
}

// --- a member on a phone, in Chinese and in the dark ----------------------------------------------

async function member() {
  const page = await open(plan.member, { viewport: { width: 390, height: 844 }, locale: "zh-CN", colorScheme: "dark" });
  saw.chinese = await page.locator("nav").innerText();
  saw.memberPlaces = await page.$$eval("nav a", (links) => links.map((link) => link.getAttribute("href")));
  await page.goto(plan.url + "settle");
  await page.waitForSelector("main p");
  saw.memberSettles = await page.locator("[data-position]").count();
  await page.locator("header button").last().click(); // log out
  await page.waitForSelector("input[name=token]");
  saw.cookies = (await page.context().cookies()).length;
  await page.context().close();
}

try {
  await wrongToken();
  const page = await open(plan.admin, { viewport: { width: 1440, height: 900 }, locale: "en-GB", acceptDownloads: true });
  saw.cookie = (await page.context().cookies()).map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }));
  await settle(page);
  await submit(page);
  await liveLog(page);
  await spending(page);
  plan.views.job = `jobs/${saw.job}`;
  await everyView(page, 1440);
  await page.setViewportSize({ width: 390, height: 844 });
  await everyView(page, 390);
  await member();
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(saw));
