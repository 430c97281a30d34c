import { parseArgs } from "node:util";
import type { Browser, BrowserContext, CDPSession } from "playwright";
import { createApiPerson, readSandbox } from "../e2e/support/api-person.ts";
import { measureInBrowser, signInAs } from "./in-browser.ts";

/**
 * Measures in the browser how long a phone takes to show the first message of a lively channel: cold, with
 * only the sign-in stored, and on return. Run `npx tsx tests/bench/opening.ts` after `npm run build`.
 */
const NETWORKS = {
  /** "Fast 3G" of Chrome's developer tools, which now call it "Slow 4G". */
  "fast-3g": { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 },
  /** The same line without the delay that the developer tools add to each request: 150 ms, 1.6 Mbit/s. */
  "fast-3g-line": { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 },
  none: { latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
} as const;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 3 };
const MESSAGES = 80;
const CHANNELS = 47;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    cpu: { type: "string", default: "4" },
    network: { type: "string", default: "fast-3g" },
    /** Prints every request of the first round, with its times and bytes. */
    waterfall: { type: "boolean", default: false },
  },
});
const network = NETWORKS[values.network as keyof typeof NETWORKS];
if (!network) throw new TypeError(`--network takes one of ${Object.keys(NETWORKS).join(", ")}`);

type Seen = { path: string; startMs: number; headMs: number; endMs: number; bytes: number };
type Opening = { firstMessageMs: number; requests: Seen[]; cpuMs: number };

/** Fills the sandbox with channels, and one of them with messages. Resolves to the id of that channel. */
async function fill(url: string): Promise<string> {
  const teamId = (await readSandbox(url)).chat?.teamId;
  const alice = await createApiPerson(url, "alice");
  const bob = await createApiPerson(url, "bob");
  let channelId = "";
  for (let number = 1; number <= CHANNELS; number++) {
    const { id } = await bob.mattermost("POST", "/channels", {
      team_id: teamId,
      name: `measured-${number}`,
      display_name: `Measured ${number}`,
      type: "O",
    });
    await bob.mattermost("POST", `/channels/${id}/members`, { user_id: alice.userId });
    channelId = id;
  }
  for (let number = 1; number <= MESSAGES; number++) {
    const message = `Message ${number} with **weight**, a [link](https://example.org/${number}) and :tada: some words that fill a line or two of a narrow screen.`;
    await (number % 3 === 0 ? alice : bob).chat("POST", `/channels/${channelId}/posts`, { message });
  }
  await alice.chat("POST", `/channels/${channelId}/view`, {});
  return channelId;
}

async function throttle(devtools: CDPSession): Promise<void> {
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, ...network });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: Number(values.cpu) });
}

/** Records the requests of a page from `Network` events, with times since the navigation. */
function watch(devtools: CDPSession): { requests: Seen[] } {
  const requests = new Map<string, Seen>();
  let begun: number | null = null;
  const since = (timestamp: number) => Math.round((timestamp - (begun ?? timestamp)) * 1000);
  devtools.on("Network.requestWillBeSent", ({ requestId, timestamp, request }) => {
    begun ??= timestamp;
    const { pathname, search } = new URL(request.url);
    requests.set(requestId, {
      path: (pathname + search).slice(0, 60),
      startMs: since(timestamp),
      headMs: -1,
      endMs: -1,
      bytes: 0,
    });
  });
  devtools.on("Network.responseReceived", ({ requestId, timestamp }) => {
    const seen = requests.get(requestId);
    if (seen) seen.headMs = since(timestamp);
  });
  devtools.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    const seen = requests.get(requestId);
    if (seen) Object.assign(seen, { endMs: since(timestamp), bytes: encodedDataLength });
  });
  return {
    get requests() {
      return [...requests.values()];
    },
  };
}

/**
 * Runs in the page before its scripts, and records when the first message has been painted. It is a text
 * because the runner of this file adds names to functions.
 */
const noteFirstMessage = `{
  const look = () => {
    const isShown = [...document.querySelectorAll("kept-look > *, [data-sent-look] > * > *, [role=log] [data-post]")].some((post) => {
      const { top, height } = post.getBoundingClientRect();
      return height > 0 && top < innerHeight && getComputedStyle(post).visibility === "visible";
    });
    if (!isShown) requestAnimationFrame(look);
    else setTimeout(() => { window.firstMessageMs = performance.now(); });
  };
  requestAnimationFrame(look);
}`;

async function open(context: BrowserContext, path: string): Promise<Opening> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await throttle(devtools);
  await devtools.send("Performance.enable");
  const watched = watch(devtools);
  await page.addInitScript({ content: noteFirstMessage });
  await page.goto(path, { waitUntil: "commit" });
  const shown = await page.waitForFunction(() => Reflect.get(window, "firstMessageMs"), null, {
    timeout: 60_000,
  });
  const firstMessageMs = Math.round(Number(await shown.jsonValue()));
  const { metrics } = await devtools.send("Performance.getMetrics");
  const busy = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  const requests = watched.requests.map((seen) => ({ ...seen }));
  // Data that arrives after the first message is stored for the return.
  await devtools.send("Network.emulateNetworkConditions", { offline: false, ...NETWORKS.none });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => localStorage.getItem("hivegate.look") !== null);
  await page.close();
  return { firstMessageMs, requests, cpuMs: Math.round(busy * 1000) };
}

async function measure(browser: Browser, url: string, channelId: string): Promise<[Opening, Opening]> {
  // The sign-in happens in another browser context, so that the phone has only its cookies.
  const storageState = await signInAs(browser, url, "alice");
  const phone = await browser.newContext({ baseURL: url, ...PHONE, storageState });
  const path = `/chat/${channelId}`;
  const cold = await open(phone, path);
  const back = await open(phone, path);
  await phone.close();
  return [cold, back];
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

function summaryOf(openings: readonly Opening[]) {
  const times = openings.map(({ firstMessageMs }) => firstMessageMs);
  const ended = (opening: Opening) =>
    opening.requests.filter(({ endMs }) => endMs >= 0 && endMs <= opening.firstMessageMs);
  return {
    median: median(times),
    min: Math.min(...times),
    max: Math.max(...times),
    requests: median(openings.map((opening) => ended(opening).length)),
    KB: median(
      openings.map((opening) => Math.round(ended(opening).reduce((sum, { bytes }) => sum + bytes, 0) / 1000)),
    ),
    "cpu ms": median(openings.map(({ cpuMs }) => cpuMs)),
  };
}

await measureInBrowser(async (browser, url) => {
  const channelId = await fill(url);
  const all: Array<[Opening, Opening]> = [];
  for (let round = 0; round < Number(values.rounds); round++)
    all.push(await measure(browser, url, channelId));
  if (values.waterfall)
    for (const opening of all[0] ?? []) {
      console.log(`first message at ${opening.firstMessageMs} ms`);
      console.table(opening.requests.sort((a, b) => a.startMs - b.startMs));
    }
  console.log(`milliseconds to the first message, ${values.network}, processor ${values.cpu} times slower`);
  console.table({
    cold: summaryOf(all.map(([cold]) => cold)),
    return: summaryOf(all.map(([, back]) => back)),
  });
});
