import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type AskedWallet, readAskedWallet } from "#app/(demo)/_session/asked-wallet.ts";
import { chatSession } from "#app/(demo)/_session/chat-session.ts";
import { changePerson, personHere } from "#app/(demo)/_session/person.ts";
import { openChat } from "#app/(demo)/_session/sign-in.ts";
import { LEFT, proveBySignature, useSignIn } from "#app/(demo)/_session/use-sign-in.ts";
import { proveElsewhere } from "#app/(demo)/_session/wallet-elsewhere.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00.000Z");
const LIFE_MS = 300_000;
const nowhere = { hivesignerApp: null, hiveAuthRelay: null };

/** Answers the page's next request for the session, as if it had not been aborted. */
let answerWait: (response: Response) => void;
/** Resolves once the page waits. */
let waiting: Promise<void>;
let tellWaiting: () => void;

const expiresAt = new Date(NOW_MS + LIFE_MS).toISOString();

function writeChallenge(username: string): string {
  const signed_message = { type: "login", app: "rendered.invalid" };
  return JSON.stringify({ signed_message, authors: [username], timestamp: NOW_MS / 1000 });
}

/** Answers like the part of a gateway that a sign-in calls. */
async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const body = await new Request(input, init).json().catch(() => ({}));
  if (pathname === "/api/auth/challenge") {
    const message = writeChallenge(body.username);
    return Response.json({ message, expiresAt, ...(body.via && { id: "i", secret: "s" }) });
  }
  if (pathname === "/api/auth/login") return Response.json({ accessToken: "a.b.c", username: body.username });
  if (pathname === "/api/auth/wallet/i/session")
    return new Promise((resolve) => {
      answerWait = resolve;
      tellWaiting();
    });
  return Response.json({ error: "no", code: "not_found" }, { status: 404 });
}

const signedIn = (username: string) =>
  Response.json({ state: "signed_in", username, accessToken: "a.b.c", refreshToken: "r", expiresAt });
const refused = (code: string) => Response.json({ error: "no", code }, { status: 401 });

/** Renders a panel's sign-in, whose effects do not run. */
function openPanel() {
  let panel: ReturnType<typeof useSignIn> | undefined;
  renderToString(
    createElement(() => {
      panel = useSignIn({ open: openChat, onDone: () => {} });
      return null;
    }),
  );
  if (!panel) throw new Error("nothing was rendered");
  return panel;
}

/** Asks a phone, and resolves once the page waits for it. */
async function askPhone(panel: ReturnType<typeof openPanel>, earlier?: AskedWallet | null) {
  waiting = new Promise((resolve) => {
    tellWaiting = resolve;
  });
  const ended = panel.start(
    "alice",
    proveElsewhere(chatSession, "phone", { wallets: nowhere, ...(earlier && { earlier }) }),
    true,
  );
  await waiting;
  return { ended };
}

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("sessionStorage", memoryStorage());
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("window", { location: { origin: "http://rendered.invalid" } });
  vi.stubGlobal("fetch", answer);
  vi.spyOn(performance, "now").mockReturnValue(NOW_MS - performance.timeOrigin);
});
afterEach(() => {
  changePerson(null);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("the question to a phone is kept while the page waits, and forgotten once it is answered", async () => {
  const { ended } = await askPhone(openPanel());
  expect(readAskedWallet(chatSession.baseUrl)).toMatchObject({
    username: "alice",
    challenge: { id: "i", secret: "s" },
  });
  answerWait(signedIn("alice"));
  await ended;
  expect([personHere(), readAskedWallet(chatSession.baseUrl)]).toEqual(["alice", null]);
});

test.each<[string, (asked: AskedWallet) => unknown]>([
  ["without its secret", ({ challenge, ...asked }) => ({ ...asked, challenge: { ...challenge, secret: 1 } })],
  ["of an unknown wallet", (asked) => ({ ...asked, way: "telegraph" })],
  ["with an unreadable end", (asked) => ({ ...asked, endsAtMs: `1${asked.endsAtMs}` })],
  ["with half a question of HiveAuth", (asked) => ({ ...asked, question: { uuid: "u" } })],
])("a stored question %s is not taken up", async (_, spoil) => {
  const { ended } = await askPhone(openPanel());
  const asked = readAskedWallet(chatSession.baseUrl) as AskedWallet;
  for (let index = 0; index < sessionStorage.length; index += 1)
    sessionStorage.setItem(sessionStorage.key(index) ?? "", JSON.stringify(spoil(asked)));
  expect(readAskedWallet(chatSession.baseUrl)).toBeNull();
  answerWait(signedIn("alice"));
  await ended;
});

test.each(["unauthorized", "challenge_expired"])("a refusal with %s forgets the question", async (code) => {
  const { ended } = await askPhone(openPanel());
  answerWait(refused(code));
  await ended;
  expect([personHere(), readAskedWallet(chatSession.baseUrl)]).toEqual([null, null]);
});

test("a cancelled wait forgets the question", async () => {
  const panel = openPanel();
  const { ended } = await askPhone(panel);
  panel.cancel();
  answerWait(refused("unauthorized"));
  await ended;
  expect([personHere(), readAskedWallet(chatSession.baseUrl)]).toEqual([null, null]);
});

test("a wait whose panel is gone keeps the question for the next panel", async () => {
  const leaving = new AbortController();
  waiting = new Promise((resolve) => {
    tellWaiting = resolve;
  });
  const progress = { onStep: () => {}, onQuestion: () => {}, signal: leaving.signal };
  const proved = proveElsewhere(chatSession, "phone", { wallets: nowhere })("alice", progress);
  const rejected = expect(proved).rejects.toBe(LEFT);
  await waiting;
  leaving.abort(LEFT);
  answerWait(refused("unauthorized"));
  await rejected;
  expect(readAskedWallet(chatSession.baseUrl)?.username).toBe("alice");
});

test("a second panel takes the question over, and the first signs no one in", async () => {
  const former = await askPhone(openPanel());
  const answerFormer = answerWait;
  const latter = await askPhone(openPanel(), readAskedWallet(chatSession.baseUrl));
  answerFormer(signedIn("alice"));
  await former.ended;
  expect([personHere(), readAskedWallet(chatSession.baseUrl)?.username]).toEqual([null, "alice"]);
  answerWait(signedIn("alice"));
  await latter.ended;
  expect(personHere()).toBe("alice");
});

test("a phone's late answer replaces no one who signed in meanwhile, and keeps their purchases", async () => {
  const { ended } = await askPhone(openPanel());
  await openPanel().start(
    "bob",
    proveBySignature(chatSession, async () => "00"),
    false,
  );
  localStorage.setItem("hivegate.bought.one", "{}");
  answerWait(signedIn("alice"));
  await ended;
  expect([personHere(), localStorage.getItem("hivegate.bought.one")]).toEqual(["bob", "{}"]);
});

test("a signature of a wait that has ended is not sent", async () => {
  const leaving = new AbortController();
  const onStep = vi.fn();
  const sign = async () => {
    leaving.abort(LEFT);
    return "00";
  };
  const proved = proveBySignature(chatSession, sign)("alice", {
    onStep,
    onQuestion: () => {},
    signal: leaving.signal,
  });
  await expect(proved).rejects.toBe(LEFT);
  expect(onStep).not.toHaveBeenCalledWith("login");
});

test("a page resumes a question for up to a minute after its end", async () => {
  const { ended } = await askPhone(openPanel());
  const passMs = (ms: number) =>
    vi.mocked(performance.now).mockReturnValue(NOW_MS + ms - performance.timeOrigin);
  passMs(LIFE_MS + 59_000);
  expect(readAskedWallet(chatSession.baseUrl)?.username).toBe("alice");
  passMs(LIFE_MS + 61_000);
  expect(readAskedWallet(chatSession.baseUrl)).toBeNull();
  answerWait(refused("challenge_expired"));
  await ended;
});

test("only a wait for a signature in this page ends by the page's own clock", async () => {
  const later = vi.spyOn(globalThis, "setTimeout");
  const timers = () => later.mock.calls.filter(([, ms]) => ms === LIFE_MS).length;
  const { ended } = await askPhone(openPanel());
  expect(timers()).toBe(0);
  answerWait(refused("challenge_expired"));
  await ended;
  await openPanel().start(
    "bob",
    proveBySignature(chatSession, async () => "00"),
    false,
  );
  expect(timers()).toBe(1);
});

/** A websocket whose server cannot be reached. */
class ClosedSocket extends EventTarget {
  static readonly OPEN = 1;
  readonly readyState = 3;

  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event("close")));
  }

  close() {}
}

test("an unreachable relay of HiveAuth is reported as such, and the question is forgotten", async () => {
  vi.stubGlobal("WebSocket", ClosedSocket);
  const wallets = { ...nowhere, hiveAuthRelay: "wss://relay.invalid" };
  const { signal } = new AbortController();
  const progress = { onStep: () => {}, onQuestion: () => {}, signal };
  const proved = proveElsewhere(chatSession, "hiveauth", { wallets })("alice", progress);
  await expect(proved).rejects.toMatchObject({ name: "WalletError", isUnreachable: true });
  expect(readAskedWallet(chatSession.baseUrl)).toBeNull();
});

test("Ecency and HiveSigner are asked by links with the challenge's id", async () => {
  const links: Array<string | undefined> = [];
  for (const way of ["ecency", "hivesigner"] as const) {
    const leaving = new AbortController();
    const onQuestion = (_leftMs: number, link?: string) => {
      links.push(link);
      leaving.abort(LEFT);
    };
    const progress = { onStep: () => {}, onQuestion, signal: leaving.signal };
    const proved = proveElsewhere(chatSession, way, { wallets: { ...nowhere, hivesignerApp: "our.app" } })(
      "alice",
      progress,
    );
    await expect(proved).rejects.toBe(LEFT);
  }
  const [ecency, hivesigner] = links.map((link) => new URL(link ?? "").searchParams);
  expect(ecency?.get("callback")).toBe("http://rendered.invalid/api/auth/wallet/i");
  expect([hivesigner?.get("state"), hivesigner?.get("client_id")]).toEqual(["i", "our.app"]);
});
