"use client";

import { useEffect, useState } from "react";
import { ChatError, type ChatSession, createChatSession } from "../../../lib/chat-client/index.ts";
import { createListeners } from "../_ui/external-store.ts";
import { KEPT_LOOK, PERSON } from "../_ui/kept-look.ts";
import { KEPT_COOKIE } from "../_ui/kept-marks.ts";
import { fetchRecorded, wireLog } from "../_wire/wire-log.ts";
import { dropEarlyAnswers, takeEarlyAnswer } from "./early-answers.ts";
import { strings } from "./problem-texts.en.ts";

/** The page's one door to its gateway: the browser's cookies tell who asks. */
export const gateway: ChatSession = createChatSession({
  // Pages are rendered on the server too, where nothing is asked.
  baseUrl: typeof window === "undefined" ? "http://rendered.invalid" : window.location.origin,
  carrier: "cookie",
  fetch: (address, init) => fetchRecorded(address, init, takeEarlyAnswer(address, init)),
  async login({ auth }) {
    const [{ username }, { accessToken }] = await Promise.all([auth.session(), auth.refresh()]);
    return { username, accessToken };
  },
});

/** What went wrong, in the words and the language of the page: by the code of the refusal, or that there was no answer. */
export function problemOf(error: unknown): string {
  const { problems } = strings;
  if (!(error instanceof ChatError)) return problems.other;
  return problems[error.status === 0 ? "offline" : error.code] ?? problems.other;
}

/** Begins the name of whatever this browser keeps for the person in front of it, by no account. */
export const PERSONAL = "hivegate.bought.";
/** The plain payment page keeps what it sold under names of its own. */
const personal = [PERSONAL, "x402-receipt:", "x402-content:"];
/** Names what was bought here before anybody signed in: it stays, whoever comes and goes. */
const UNSIGNED = "hivegate.bought-by-nobody";
/** Names what this browser keeps of payments that were sent, as long as nobody knows what became of them. */
export const UNFINISHED = "hivegate.unfinished";
const BY_WALLET = "hivegate.by-wallet";
/** Names whose cookies this browser sends; empty for nobody's. */
const ENTERED = "hivegate.entered";
const persons = createListeners();

const leavers = createListeners();

/** Has `forget` called whenever somebody signs in or out, for what a page remembers of them. */
export const onPerson = persons.subscribe;

/** Has `forget` called whenever who was signed in is not any more, in whichever tab, for what nobody else may see. */
export const onLeaving = leavers.subscribe;

/** Has `act` called with who was there before whenever somebody else has come in or gone in another tab; ends with the call of what is returned. */
export function onOtherTab(act: (former: string | null) => void): () => void {
  const listener = ({ key, oldValue }: StorageEvent) => {
    if (key === ENTERED) act(oldValue);
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/** Tells the other tabs who has come in, when the browser has their cookies; null for nobody any more. */
export function tellOtherTabs(name: string | null): void {
  try {
    localStorage.setItem(ENTERED, name ?? "");
  } catch {
    // Then they find out by what they are refused.
  }
}

onLeaving(wireLog.clear);
onLeaving(() => void eraseKeptChat());
onPerson(dropEarlyAnswers);
if (typeof window !== "undefined")
  onOtherTab((former) => {
    dropEarlyAnswers();
    if (former) leavers.tell();
  });

/**
 * Tells who has signed in, and whether by a wallet; null for nobody any more: what was bought while somebody else was
 * signed in goes, what was bought while nobody was stays in this browser.
 */
export function changePerson(name: string | null, isByWallet = false): void {
  persons.tell();
  const former = personHere();
  if (name === null || (former !== null && former !== name)) leavers.tell();
  try {
    if (isByWallet) localStorage.setItem(BY_WALLET, "");
    else localStorage.removeItem(BY_WALLET);
    if (name === former) return;
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
    const kept = keys.filter((key) => personal.some((prefix) => key.startsWith(prefix)));
    const unsigned = former === null ? kept : readUnsigned();
    for (const key of kept) if (!unsigned.includes(key)) localStorage.removeItem(key);
    if (name === null) {
      localStorage.removeItem(PERSON);
      localStorage.removeItem(UNSIGNED);
    } else {
      localStorage.setItem(PERSON, name);
      localStorage.setItem(UNSIGNED, JSON.stringify(unsigned));
    }
  } catch {
    // Private windows may refuse, and then keep nothing either.
  }
}

const KEPT_CHAT = "hivegate-chat";

/** Opens what this browser keeps of the chat of whoever is signed in. @throws where nothing can be kept */
export const openKeptChat = (): Promise<Cache> => caches.open(KEPT_CHAT);

const YEAR_S = 31_536_000;

/** Tells the server, by a cookie, whether this browser keeps the chat. */
export function markKept(isKept: boolean): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the other interface is missing without TLS
    document.cookie = `${KEPT_COOKIE}=1; path=/chat; max-age=${isKept ? YEAR_S : 0}; samesite=lax`;
  } catch {
    // Where cookies are denied, nobody is signed in.
  }
}

/** Erases what this browser keeps of the chat. */
export async function eraseKeptChat(): Promise<void> {
  markKept(false);
  try {
    localStorage.removeItem(KEPT_LOOK);
    await caches.delete(KEPT_CHAT);
  } catch {
    // Where storage is denied, or not there as without TLS, nothing was kept.
  }
}

/** Whoever is signed in in this browser; null for nobody. */
export function personHere(): string | null {
  try {
    return localStorage.getItem(PERSON);
  } catch {
    return null;
  }
}

function readUnsigned(): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(UNSIGNED) ?? "[]");
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}

/** Whether whoever is signed in here signed in with a wallet. */
export function isSignedInByWallet(): boolean {
  try {
    return localStorage.getItem(BY_WALLET) !== null;
  } catch {
    return false;
  }
}

type Resource<T> = { data?: T; error?: unknown };

/** What one of the gateway's GET routes answers, for a page that shows it once; `retry` asks again. */
export function useResource<T>(path: string): Resource<T> & { retry: () => void } {
  const [resource, setResource] = useState<Resource<T> & { of?: string }>({});
  const [attempt, setAttempt] = useState(0);
  const asked = `${path} ${attempt}`;

  useEffect(() => {
    const leaving = new AbortController();
    const tell = (answer: Resource<T>) => {
      if (!leaving.signal.aborted) setResource({ ...answer, of: asked });
    };
    gateway.request<T>(path, { signal: leaving.signal }).then(
      (data) => tell({ data }),
      (error: unknown) => tell({ error }),
    );
    return () => leaving.abort();
  }, [path, asked]);

  const isFresh = resource.of === asked;
  return { ...(isFresh ? resource : {}), retry: () => setAttempt((count) => count + 1) };
}
