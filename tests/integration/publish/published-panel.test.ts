import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "../../../lib/publish/bundle.ts";
import { entries, stylesheet } from "../../../lib/publish/manifest.ts";
import { writeStylesheet } from "../../../lib/publish/stylesheet.ts";
import { readLink, signQuestion } from "../../e2e/support/phone-wallet.ts";
import { scan } from "../../harness/scan-code.ts";
import { serveReactApp } from "../../harness/serve-react-app.ts";
import type { WebServer } from "../../harness/serve-web.ts";
import { startBrowser } from "../../harness/start-browser.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";

let folder: string;
let world: ChatWorld;
let browser: Browser;
const opened: Array<() => Promise<void>> = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hivegate-panel-"));
  const { react = "", chat = "" } = entries;
  const bundled = await bundle({ react, chat }, folder);
  await writeStylesheet(
    bundled.filter((file) => file.startsWith("app/")),
    join(folder, stylesheet),
  );
  [world, browser] = await Promise.all([startChatWorld(), startBrowser()]);
}, 120_000);
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens an app with the panel at an origin that is not the gateway's. */
async function openApp(properties = "", given: BrowserContextOptions = {}): Promise<Page> {
  const app: WebServer = await serveReactApp(
    folder,
    `
      import { createChatClient } from "hivegate/chat";
      import { SignInPanel } from "hivegate/react";
      import { useState } from "react";
      import "hivegate/react.css";
      const login = () => Promise.reject(new Error("signed out"));
      const chat = createChatClient({ baseUrl: "${world.gateway.url}", login });
      export function App() {
        const [me, setMe] = useState("");
        const read = async () => setMe((await chat.me()).user.username);
        return me ? <p>I am {me}</p> : <><SignInPanel chat={chat} onSignedIn={read} ${properties} /><button>Mine</button></>;
      }`,
  );
  const context = await browser.newContext(given);
  opened.push(
    () => context.close(),
    () => app.close(),
  );
  const page = await context.newPage();
  await page.goto(app.url);
  return page;
}

const phone: BrowserContextOptions = {
  ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

async function ask(page: Page, name: string, field = "Hive account", button = "Use Keychain on a phone") {
  await page.getByRole("textbox", { name: field }).fill(name);
  await page.getByRole("button", { name: button }).click();
}

describe("the published sign-in panel, in an app of another origin", () => {
  test("signs the app's chat client in once a phone has scanned the code and signed", async () => {
    const page = await openApp();
    await ask(page, "alice");
    const question = readLink(await scan(page.getByRole("img", { name: "Code to scan with Keychain" })));
    expect(question).toMatchObject({ account: "alice", authority: "posting" });
    expect((await fetch(signQuestion(question))).status).toBe(200);
    await page.getByText("I am alice").waitFor();
  });

  test("shows a link on a phone, and goes on with the question after the page was loaded again", async () => {
    const page = await openApp("", phone);
    await ask(page, "bob");
    const link = page.getByRole("link", { name: "Open Keychain" });
    const question = readLink((await link.getAttribute("href")) ?? "");
    await page.reload();
    await link.waitFor();
    expect((await fetch(signQuestion(question))).status).toBe(200);
    await page.getByText("I am bob").waitFor();
  });

  test("offers what the device and the app have, and no HiveSigner away from the gateway", async () => {
    const page = await openApp('hiveAuthRelay="wss://relay.invalid" hivesignerApp="our.app"', phone);
    const ways = page.locator(".hivegate-sign-in button");
    await ways.first().waitFor();
    expect(await ways.allTextContents()).toEqual([
      "Use Keychain on a phone",
      "Use Ecency",
      "Use HiveAuth",
      "Use Hive Keychain",
    ]);
  });

  test("shows the way that is asked, and none beside it", async () => {
    const page = await openApp("", phone);
    await ask(page, "carol", "Hive account", "Use Ecency");
    await page.getByRole("link", { name: "Open Ecency" }).waitFor();
    const ways = page.getByRole("button", { name: /^Use / });
    await expect.poll(() => ways.allTextContents()).toEqual(["Use Ecency"]);
  });

  test("speaks Spanish", async () => {
    const page = await openApp('language="es"');
    await ask(page, "carol", "Cuenta de Hive", "Usar Keychain en un teléfono");
    await page.getByText("Escanea este código con Keychain").waitFor();
  });

  test("has Keychain sign no text that is for another host", async () => {
    const page = await openApp('host="chat.elsewhere.example"');
    await page.evaluate("window.hive_keychain = { requestSignBuffer() { document.title = 'asked' } }");
    await ask(page, "alice", "Hive account", "Use Hive Keychain");
    await page.getByRole("alert").waitFor();
    expect(await page.title()).toBe("App");
  });
});

describe("its stylesheet", () => {
  test("colours the panel by the page's variables and theme, and leaves the page's own buttons alone", async () => {
    const page = await openApp("", { colorScheme: "dark" });
    const colourOf = (name: string) =>
      page.getByRole("button", { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    await page.addStyleTag({
      content: ":root { --hivegate-accent: rgb(1, 2, 3); --hivegate-raised: rgb(4, 5, 6) }",
    });
    await expect.poll(() => colourOf("Use Hive Keychain")).toBe("rgb(1, 2, 3)");
    await expect.poll(() => colourOf("Use Keychain on a phone")).toBe("rgb(4, 5, 6)");
    const mine = await colourOf("Mine");
    await page
      .locator("style")
      .first()
      .evaluate((style) => style.remove());
    expect(await colourOf("Mine")).toBe(mine);
  });

  test("names only elements inside the panel", async () => {
    const text = await readFile(join(folder, stylesheet), "utf8");
    const rules = text.slice(0, text.indexOf("@property")).split("\n");
    const selectors = rules.filter((line) => /^ *[^@\s/:-][^;]*\{$|^ *:[^;]*\{$/.test(line));
    expect(selectors.length).toBeGreaterThan(50);
    expect(selectors.filter((selector) => !selector.includes(".hivegate-sign-in"))).toEqual([]);
  });
});
