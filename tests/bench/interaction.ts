import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { type ApiPerson, createApiPerson, readSandbox } from "../e2e/support/api-person.ts";
import { measureInBrowser, signInAs } from "./in-browser.ts";

/**
 * Measures in the browser how soon the chat reacts: to keys, in a channel whose messages are all loaded, and
 * to a change between two channels of many that were read before. Run `npx tsx tests/bench/interaction.ts` after
 * `npm run build`.
 */
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "5000" },
    keys: { type: "string", default: "100" },
    changes: { type: "string", default: "40" },
    channels: { type: "string", default: "50" },
    cpu: { type: "string", default: "4" },
  },
});
const LANES = 8;

async function createChannel(people: readonly ApiPerson[], teamId: string, name: string, messages: number) {
  const [owner, ...others] = people;
  if (!owner) throw new Error("a channel needs an owner");
  const { id } = await owner.mattermost("POST", "/channels", {
    team_id: teamId,
    name,
    display_name: name,
    type: "O",
  });
  for (const { userId } of others)
    await owner.mattermost("POST", `/channels/${id}/members`, { user_id: userId });
  let next = 0;
  const lane = async () => {
    while (next < messages) {
      const number = ++next;
      const message = `Message ${number} with **weight**, a [link](https://example.org/${number}) and :tada:`;
      await owner.mattermost("POST", "/posts", { channel_id: id, message });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const { chat } of others) await chat("POST", `/channels/${id}/view`, {});
  return id as string;
}

const logOf = (page: Page, name: string) => page.getByRole("log", { name: strings.timeline.label(name) });

/** Scrolls up until the introduction above the first message is shown. */
async function readWhole(page: Page, name: string): Promise<void> {
  const log = logOf(page, name);
  const start = log.getByRole("heading", { name: strings.timeline.start.heading.O(name) });
  await log.hover();
  while (!(await start.isVisible())) await page.mouse.wheel(0, -50_000);
  await page.getByRole("button", { name: strings.timeline.jumpToLatest }).click();
}

/**
 * Runs in the page. Records the duration of every interaction, as browsers report it. It is a text because the
 * runner of this file adds names to functions.
 */
const noteInteractions = `{
  window.interactions = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) window.interactions.set(interactionId, Math.max(duration, window.interactions.get(interactionId) ?? 0));
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
}`;

async function measureTyping(page: Page, devtools: CDPSession, name: string) {
  await page.evaluate(noteInteractions);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: Number(values.cpu) });
  const composer = page.getByRole("combobox", { name: strings.composer.label(name) });
  await composer.click();
  await page.evaluate("window.interactions.clear()");
  await page.keyboard.type("A sentence of some length, ".repeat(20).slice(0, Number(values.keys)), {
    delay: 60,
  });
  await page.evaluate("new Promise((done) => setTimeout(done, 500))");
  const slow = (await page.evaluate("[...window.interactions.values()]")) as number[];
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await composer.fill("");
  // Browsers report no interaction shorter than 16 ms.
  const all = [...slow, ...Array.from({ length: Math.max(0, Number(values.keys) - slow.length) }, () => 16)];
  return summaryOf(all);
}

/** Presses a channel's link, and returns the milliseconds until one of its messages has been painted. */
async function measureChange(page: Page, name: string): Promise<number> {
  return (await page.evaluate(`new Promise((done) => {
    const link = [...document.querySelectorAll("nav a")].find((one) => one.textContent.includes(${JSON.stringify(name)}));
    const startedAt = performance.now();
    const look = () => {
      const log = document.querySelector('[role=log][aria-label=${JSON.stringify(strings.timeline.label(name))}]');
      const isShown = [...(log?.querySelectorAll("[data-post]") ?? [])].some((post) => {
        const { top, height } = post.getBoundingClientRect();
        return height > 0 && top < innerHeight && getComputedStyle(post).visibility === "visible";
      });
      if (!isShown) requestAnimationFrame(look);
      else setTimeout(() => done(performance.now() - startedAt));
    };
    link.click();
    requestAnimationFrame(look);
  })`)) as number;
}

async function measureChanges(page: Page, names: readonly string[]) {
  const times: number[] = [];
  for (let change = 0; change < Number(values.changes); change++) {
    times.push(await measureChange(page, names[change % names.length] ?? ""));
    await page.evaluate("new Promise((done) => setTimeout(done, 300))");
  }
  return summaryOf(times);
}

function summaryOf(numbers: readonly number[]) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return { count: sorted.length, middle: at(0.5), p95: at(0.95), p98: at(0.98), most: at(1) };
}

await measureInBrowser(async (browser, url) => {
  const teamId = (await readSandbox(url)).chat?.teamId ?? "";
  const people = [await createApiPerson(url, "bob"), await createApiPerson(url, "alice")];
  const long = await createChannel(people, teamId, "measured-long", Number(values.messages));
  await createChannel(people, teamId, "measured-short", 60);
  for (let beside = 1; beside <= Number(values.channels); beside++)
    await createChannel(people, teamId, `beside-${beside}`, 1);
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    storageState: await signInAs(browser, url, "alice"),
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await page.goto(`/chat/${long}`);
  await logOf(page, "measured-long").locator("[data-post]").first().waitFor();
  await measureChange(page, "measured-short");
  await measureChange(page, "measured-long");
  const changes = await measureChanges(page, ["measured-short", "measured-long"]);
  await readWhole(page, "measured-long");
  const typing = await measureTyping(page, devtools, "measured-long");
  console.log(`milliseconds to the next paint of a key, processor ${values.cpu} times slower`);
  console.log("and to a message of a channel that was read before, processor as it is");
  console.table({ typing, changes });
});
