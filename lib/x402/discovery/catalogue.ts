import { createHash } from "node:crypto";
import { forgetOldest } from "../../async/cache.ts";
import { underSignals } from "../../async/time-limits.ts";
import { hasCode } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { type AskSeller, readSellerAnswer } from "./ask-seller.ts";
import { readValidDeclaration } from "./declaration.ts";
import { Listing, listingOf } from "./listing.ts";
import { isRouteTemplateOf } from "./route-template.ts";

/** A listing ends this long after its last payment. */
const LISTED_SECONDS = 30 * 86_400;
/** A server that is being replaced may answer 404 for a while. */
const MISSING_MS = 86_400_000;
const MOST_LISTINGS = 1000;
/** Processes that list at once may exceed the limit by a few. */
const MOST_READ = 2 * MOST_LISTINGS;
/**
 * A host with many resources must not crowd out the others. Counted by host, because a server can name any account as
 * its payee.
 */
const MOST_OF_ONE_HOST = 50;
/** A seller is asked about a resource once in this time, however often it is paid for. */
const ASKED_AGAIN_MS = 60_000;
const MOST_ASKED = 1000;
/** Payments with ever new paths must not make this server flood another. */
const QUESTIONS_A_HOST = 10;
const HOST_PAUSE_MS = 60_000;
/** For longer than a payment can be settled again. */
const CONSIDERED_SECONDS = LISTED_SECONDS;
/** More sellers at once are left for their next payment. */
const AT_ONCE = 8;
const ANSWER_MS = 5000;
/** Other processes list resources too. */
const FRESH_MS = 5000;
const READ_AT_ONCE = 50;

const INDEX = "x402:listings";
const keyOf = (name: string) => `x402:listing:${name}`;
/** The time since which a server has not found a listed resource. */
const missingKeyOf = (name: string) => `x402:missing:${name}`;
const consideredKeyOf = (txId: string) => `x402:considered:${txId}`;

export type Catalogue = {
  /**
   * Lists a resource that was paid for, if its seller offers it there for that payee. A payment counts once, by the id
   * of its transaction. Works in the background: nothing here may delay a payment, or make it fail.
   */
  consider(paid: { txId: string; address: string | undefined; extensions: unknown; payTo: string }): void;
  /** Returns the listings, those paid for last first. @throws CodedError `degraded` */
  read(): Promise<readonly Listing[]>;
  /** Resolves when no seller is being asked. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Creates the catalogue of resources whose sellers opted in. What came with a payment is only a hint, because anyone can
 * write it: everything that is listed comes from the resource's own server, and only the payee of the payment can be
 * listed as payee.
 */
export function createCatalogue(options: {
  store: Store;
  networks: readonly string[];
  ask: AskSeller;
  onFault?: ((error: unknown) => void) | undefined;
}): Catalogue {
  const { store, networks, ask, onFault = () => {} } = options;
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  /** Times of the last questions to sellers, by listing; the oldest first. */
  const askedAt = new Map<string, number>();
  /** Times of the last questions to each host. */
  const askedOfHost = new Map<string, number[]>();
  let cached: { listings: readonly Listing[]; readAtMs: number } | null = null;

  /** Changes what this process has read, so that its own changes show at once. */
  const show = (change: (listings: readonly Listing[]) => readonly Listing[]) => {
    if (cached) cached = { ...cached, listings: change(cached.listings) };
  };

  const load = async (): Promise<readonly Listing[]> => {
    const names = (await store.range(INDEX, Number.MAX_SAFE_INTEGER, MOST_READ)).reverse();
    const listings: Listing[] = [];
    for (let begin = 0; begin < names.length; begin += READ_AT_ONCE) {
      const part = names.slice(begin, begin + READ_AT_ONCE);
      const texts = await Promise.all(part.map((name) => store.get(keyOf(name))));
      const ended = part.filter((_, index) => texts[index] === null);
      if (ended.length > 0) await remove(ended);
      listings.push(...texts.flatMap((text) => readListing(text) ?? []));
    }
    return listings;
  };

  const read = async (): Promise<readonly Listing[]> => {
    const nowMs = performance.now();
    if (cached && nowMs - cached.readAtMs < FRESH_MS) return cached.listings;
    const listings = await load();
    cached = { listings, readAtMs: nowMs };
    return listings;
  };

  const remove = async (names: readonly string[]) => {
    await store.commit({
      expect: [],
      delete: names.flatMap((name) => [keyOf(name), missingKeyOf(name)]),
      scores: names.map((name) => [INDEX, name, null] as const),
    });
    show((listings) => listings.filter((listing) => !names.includes(nameOf(listing))));
  };

  const put = async (name: string, listing: Listing) => {
    const present = await read();
    const surplus = surplusOf([listing, ...present.filter(isOther(listing))]);
    if (surplus.length > 0) await remove(surplus.map(nameOf));
    await store.commit({
      expect: [],
      set: [[keyOf(name), JSON.stringify(listing), LISTED_SECONDS]],
      delete: [missingKeyOf(name)],
      scores: [[INDEX, name, Date.parse(listing.lastUpdated)]],
    });
    show((listings) => [listing, ...listings.filter(isOther(listing))]);
  };

  /** Removes a resource that its server did not find a day ago and does not find now, without an offer between. */
  const noteMissing = async (name: string) => {
    if ((await store.get(keyOf(name))) === null) return;
    const nowMs = Date.now();
    await store.setIfAbsent(missingKeyOf(name), String(nowMs), LISTED_SECONDS);
    const sinceMs = Number((await store.get(missingKeyOf(name))) ?? nowMs);
    if (nowMs - sinceMs >= MISSING_MS) await remove([name]);
  };

  /** Returns true if a seller may be asked now, and notes that it is. */
  const mayAsk = (name: string, host: string): boolean => {
    const nowMs = performance.now();
    if (nowMs - (askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < ASKED_AGAIN_MS) return false;
    const ofHost = (askedOfHost.get(host) ?? []).filter((atMs) => nowMs - atMs < HOST_PAUSE_MS);
    if (ofHost.length >= QUESTIONS_A_HOST) return false;
    keepLatest(askedAt, name, nowMs);
    keepLatest(askedOfHost, host, [...ofHost, nowMs]);
    return true;
  };

  const update = async (txId: string, address: URL, extensions: unknown, payTo: string): Promise<void> => {
    const hint = await readValidDeclaration(extensions);
    if (!hint) return;
    const { method } = hint.info.input;
    // A payer who repeats a settlement under its key gets its success again, with another address if they like.
    if (!(await store.setIfAbsent(consideredKeyOf(txId), "1", CONSIDERED_SECONDS))) return;
    const name = nameFor(method, address.href);
    if (!mayAsk(name, address.host)) return;
    const answer = await underSignals([closing.signal, AbortSignal.timeout(ANSWER_MS)], (signal) =>
      ask(address.href, signal),
    ).catch(() => null);
    const offer = answer && (await readSellerAnswer(answer));
    if (!offer) return;
    if (offer === "none") return remove([name]);
    if (offer === "missing") return noteMissing(name);
    const { declaration, offered } = offer;
    if (declaration.info.input.method !== method) return;
    const { routeTemplate, ...plain } = declaration;
    const isTemplate = routeTemplate !== undefined && isRouteTemplateOf(routeTemplate, address.pathname);
    const listing = listingOf(offered, {
      resource: isTemplate ? address.origin + routeTemplate : address.href,
      declaration: isTemplate ? declaration : plain,
      ...{ payTo, networks, nowMs: Date.now() },
    });
    if (listing) await put(nameOf(listing), listing);
  };

  return {
    consider({ txId, address: text, extensions, payTo }) {
      if (closing.signal.aborted || underWay.size >= AT_ONCE) return;
      const address = text === undefined ? null : readAddress(text);
      if (!address) return;
      const work = update(txId, address, extensions, payTo)
        .catch((error: unknown) => {
          // The next payment lists it.
          if (!hasCode(error, "degraded")) onFault(error);
        })
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    read,
    settled: async () => void (await Promise.all(underWay)),
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** Returns the listings beyond the limits, of the latest first: the oldest of the hosts that have the most. */
function surplusOf(listings: readonly Listing[]): Listing[] {
  const byHost = new Map<string, Listing[]>();
  for (const listing of listings) {
    const { host } = new URL(listing.resource);
    byHost.set(host, [...(byHost.get(host) ?? []), listing]);
  }
  const ofHosts = [...byHost.values()];
  const surplus = ofHosts.flatMap((ofHost) => ofHost.splice(MOST_OF_ONE_HOST));
  for (let count = listings.length - surplus.length; count > MOST_LISTINGS; count--) {
    const most = Math.max(...ofHosts.map(({ length }) => length));
    const largest = ofHosts.filter(({ length }) => length === most);
    // Hosts are in the order of their latest listings.
    surplus.push(...(largest.at(-1)?.splice(-1) ?? []));
  }
  return surplus;
}

/** Makes an entry the latest of a bounded map. */
function keepLatest<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key);
  entries.set(key, value);
  forgetOldest(entries, MOST_ASKED);
}

/** One address may sell different things by method. */
const nameFor = (method: string, resource: string) =>
  createHash("sha256").update(`${method} ${resource}`).digest("hex");

const nameOf = ({ resource, extensions }: Listing) => nameFor(extensions.bazaar.info.input.method, resource);

const isOther = (one: Listing) => (other: Listing) =>
  other.resource !== one.resource ||
  other.extensions.bazaar.info.input.method !== one.extensions.bazaar.info.input.method;

/** Returns a web address without query and fragment, which may contain secrets. */
function readAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  url.search = "";
  url.hash = "";
  return url;
}

function readListing(text: string | null): Listing | null {
  if (text === null) return null;
  try {
    return Listing.parse(JSON.parse(text));
  } catch {
    // Of a later version; its next payment lists it again.
    return null;
  }
}
