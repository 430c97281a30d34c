import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { uploads } from "#app/(demo)/_chat/media/uploads.ts";
import { loadArticle } from "#app/(demo)/_pay/articles.ts";
import { beginPayment, type OngoingPayment, ongoingPayment } from "#app/(demo)/_pay/ongoing-payments.ts";
import { chatSession } from "#app/(demo)/_session/chat-session.ts";
import { personHere } from "#app/(demo)/_session/person.ts";
import { openChat, signOut } from "#app/(demo)/_session/sign-in.ts";
import { proveBySignature, useSignIn } from "#app/(demo)/_session/use-sign-in.ts";
import { keepText, readText } from "#app/(demo)/_ui/kept-text.ts";
import { wireLog } from "#app/(demo)/_wire/wire-log.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";

let signedIn: string | null = null;
let receiptsOf: string[] = [];
/** Accepts uploads, and never completes them. */
let uploadTo = (_signal: AbortSignal) => new Promise<Response>(() => {});
let chatLogout = () => Response.json({ ok: true });

/** Answers like the part of a gateway that these pages call. */
async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname === "/api/auth/challenge")
    return Response.json({ message: '{"timestamp":1}', expiresAt: new Date(301_000).toISOString() });
  if (pathname === "/api/auth/login") {
    const { username } = await new Request(input, init).json();
    signedIn = username;
    return Response.json({ accessToken: "a.b.c", username });
  }
  if (pathname === "/api/auth/logout") {
    signedIn = null;
    return Response.json({});
  }
  if (pathname === "/api/chat/logout") return chatLogout();
  if (pathname.endsWith("/files")) return uploadTo(new Request(input, init).signal);
  if (pathname !== "/api/demo/articles")
    return Response.json({ error: "no", code: "not_found" }, { status: 404 });
  receiptsOf.push(String(signedIn));
  const receipt = signedIn && { payer: signedIn };
  return Response.json({ articles: [{ slug: "one", ...(receipt && { receipt }) }] });
}

/** Signs in on a page, and waits for the gateway's answer only. */
async function signIn(name: string) {
  let start: ReturnType<typeof useSignIn>["start"] | undefined;
  renderToString(
    createElement(() => {
      start = useSignIn({ open: openChat, onDone: () => {} }).start;
      return null;
    }),
  );
  await start?.(
    name,
    proveBySignature(chatSession, async () => "00"),
    false,
  );
  expect(signedIn).toBe(name);
}

const buy = () => localStorage.setItem("hivegate.bought.one", "{}");
const bought = () => localStorage.getItem("hivegate.bought.one");

beforeEach(() => {
  signedIn = null;
  receiptsOf = [];
  chatLogout = () => Response.json({ ok: true });
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("window", { location: { origin: chatSession.baseUrl } });
  vi.stubGlobal("fetch", answer);
});
afterEach(() => vi.unstubAllGlobals());

test("purchases made without a sign-in are kept, and a user's own are removed when the user changes", async () => {
  const names = ["hivegate.bought.two", "x402-receipt:/two", "x402-content:/two"];
  const kept = () => [bought(), ...names.map((name) => localStorage.getItem(name))];
  for (const name of names) localStorage.setItem(name, "{}");
  await signIn("alice");
  expect(kept()).toEqual([null, "{}", "{}", "{}"]);
  buy();
  await signIn("bob");
  expect(kept()).toEqual([null, "{}", "{}", "{}"]);
  buy();
  await signOut();
  expect(kept()).toEqual([null, "{}", "{}", "{}"]);
  buy();
  await signIn("alice");
  await signOut();
  expect(kept()).toEqual(["{}", "{}", "{}", "{}"]);
});

test("a sign-out removes the user's purchases, and keeps the chosen theme", async () => {
  await signIn("alice");
  buy();
  localStorage.setItem("theme", "dark");
  expect((await loadArticle("one"))?.receipt?.payer).toBe("alice");
  await signOut();
  expect([bought(), localStorage.getItem("theme")]).toEqual([null, "dark"]);
  expect((await loadArticle("one"))?.receipt).toBeUndefined();
  expect(receiptsOf).toEqual(["alice", "null"]);
});

test("a sign-out removes the user's purchases even if localStorage is unavailable", async () => {
  vi.stubGlobal("localStorage", undefined);
  await signIn("alice");
  expect(personHere()).toBe("alice");
  keepText("hivegate.bought.one", "{}");
  await signOut();
  expect([personHere(), readText("hivegate.bought.one")]).toEqual([null, null]);
});

test("no data of the former user remains in the storage when it is full", async () => {
  await signIn("alice");
  vi.spyOn(localStorage, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  await signIn("bob");
  expect([personHere(), localStorage.getItem("hivegate.person")]).toEqual(["bob", null]);
  await signOut();
  expect(personHere()).toBeNull();
});

test("an ended session's data is hidden from other users, and complete for the same user", async () => {
  await signIn("alice");
  buy();
  await signIn("alice");
  expect(bought()).toBe("{}");
  expect((await loadArticle("one"))?.receipt?.payer).toBe("alice");
  await signIn("bob");
  expect(bought()).toBeNull();
  expect((await loadArticle("one"))?.receipt?.payer).toBe("bob");
});

test("a failed sign-out keeps the user signed in, with their purchases", async () => {
  await signIn("alice");
  buy();
  chatLogout = () => Response.json({ error: "no", code: "backend_unreachable" }, { status: 502 });
  await expect(signOut()).rejects.toMatchObject({ code: "backend_unreachable" });
  expect([signedIn, bought()]).toEqual(["alice", "{}"]);
  // A user whom the chat no longer admits can still sign out.
  chatLogout = () => Response.json({ error: "no", code: "forbidden" }, { status: 403 });
  await signOut();
  expect([signedIn, bought()]).toEqual([null, null]);
});

test("recorded traffic and payments are hidden from the next user", async () => {
  const url = "http://shop.example/one";
  const begin = () => {
    wireLog.addFrame({ direction: "in", name: "posted", seq: 1, text: "{}" });
    beginPayment({
      key: `GET ${url}`,
      target: { method: "GET", url } as OngoingPayment["target"],
      payer: { account: "alice", activeKey: null },
      subject: {} as OngoingPayment["subject"],
      amount: "0.050 HBD",
      payee: "shop",
      state: { kind: "idle" },
      flow: [],
      isReopened: false,
      isHidden: false,
      isTakenUp: false,
    });
  };
  const left = () => [
    wireLog.snapshot().some(({ kind }) => kind === "frame"),
    ongoingPayment(`GET ${url}`) !== undefined,
  ];
  begin();
  await signIn("alice");
  expect(left()).toEqual([true, true]);
  await signIn("alice");
  expect(left()).toEqual([true, true]);
  await signIn("bob");
  expect(left()).toEqual([false, false]);
  begin();
  await signOut();
  expect(left()).toEqual([false, false]);
});

test("an author's sign-out cancels their upload, and its message is not sent", async () => {
  await signIn("alice");
  const begun = new Promise<AbortSignal>((resolve) => {
    uploadTo = (signal) => {
      resolve(signal);
      return new Promise(() => {});
    };
  });
  const sendMessage = vi.fn();
  uploads.add("here", "c".repeat(26), [new Blob(["a picture"], { type: "image/png" })], false);
  uploads.wait("here", sendMessage);
  const signal = await begun;
  await signOut();
  expect(signal.aborted).toBe(true);
  expect(uploads.of("here")).toEqual([]);
  expect(sendMessage).not.toHaveBeenCalled();
});
