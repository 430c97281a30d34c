import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadArticle } from "#app/(demo)/_pay/articles.ts";
import { signOut, useSignIn } from "#app/(demo)/_session/sign-in.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";

let signedIn: string | null = null;
let receiptsOf: string[] = [];

/** A gateway as far as these pages ask it. */
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
  if (pathname !== "/api/demo/articles")
    return Response.json({ error: "no", code: "not_found" }, { status: 404 });
  receiptsOf.push(String(signedIn));
  const receipt = signedIn && { payer: signedIn };
  return Response.json({ articles: [{ slug: "one", ...(receipt && { receipt }) }] });
}

/** What the sign-in of a page does, up to the answer of the gateway. */
async function signIn(name: string) {
  let start: ReturnType<typeof useSignIn>["start"] | undefined;
  renderToString(
    createElement(() => {
      start = useSignIn(() => {}).start;
      return null;
    }),
  );
  await start?.(name, async () => "00", false);
  expect(signedIn).toBe(name);
}

const buy = () => localStorage.setItem("hivegate.bought.one", "{}");
const bought = () => localStorage.getItem("hivegate.bought.one");

beforeEach(() => {
  signedIn = null;
  receiptsOf = [];
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("fetch", answer);
});
afterEach(() => vi.unstubAllGlobals());

test("what was bought while nobody was signed in stays, whoever comes and goes; what somebody bought goes with them", async () => {
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

test("who signs out takes what they bought along, and leaves what is the browser's own", async () => {
  await signIn("alice");
  buy();
  localStorage.setItem("theme", "dark");
  expect((await loadArticle("one"))?.receipt?.payer).toBe("alice");
  await signOut();
  expect([bought(), localStorage.getItem("theme")]).toEqual([null, "dark"]);
  expect((await loadArticle("one"))?.receipt).toBeUndefined();
  expect(receiptsOf).toEqual(["alice", "null"]);
});

test("who signs in where somebody else's session has ended finds nothing of theirs, and the same person finds all", async () => {
  await signIn("alice");
  buy();
  await signIn("alice");
  expect(bought()).toBe("{}");
  expect((await loadArticle("one"))?.receipt?.payer).toBe("alice");
  await signIn("bob");
  expect(bought()).toBeNull();
  expect((await loadArticle("one"))?.receipt?.payer).toBe("bob");
});
