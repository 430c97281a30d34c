import { createTtlLruCache } from "../../async/cache.ts";
import { underSignals } from "../../async/time-limits.ts";
import { createSharedTurns, createTurns } from "../../async/turns.ts";
import type { Preview } from "../../contract/media-answers.ts";
import { CodedError } from "../../errors.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import { type HivePost, type PostName, postAt, readPost } from "../../hive/posts.ts";
import { log } from "../../log.ts";
import { readOutsideAddress } from "../../outside/addresses.ts";
import { type Outside, OutsideFault } from "../../outside/fetch-outside.ts";
import { decodePage, readPageHead } from "../../outside/page-head.ts";
import { type CallerContext, readOwnId, requireGoodPat } from "../caller/caller-context.ts";
import { createOutsideTurns, outsideOf } from "./outside-pictures.ts";

const LONGEST_TITLE = 200;
const LONGEST_DESCRIPTION = 300;
/** A page's head is rarely longer; the rest is not read. */
const READ_BYTES = 512 * 1024;
const CHAIN_TIMEOUT_MS = 6000;
const AT_ONCE = 8;
const MOST_WAITING = 200;
/** Short, because a post's payout changes with every vote. */
const POST_FOR_MS = 60_000;
const PAGE_FOR_MS = 3_600_000;
const REFUSED_FOR_MS = 60_000;
const MOST_KEPT = 2000;

const noPreview = (cause?: unknown) =>
  new CodedError("not_found", { message: "This address has no preview.", cause });

/**
 * Returns the preview of a link: a post on the chain with its author and payout, or the title and description
 * of another page. Failures give no reason.
 * @throws CodedError `unauthorized`, `not_found`, `overloaded`
 */
export async function readPreview(
  context: CallerContext,
  address: string,
  signal: AbortSignal,
): Promise<Preview> {
  await requireGoodPat(context);
  if (!URL.canParse(address)) throw noPreview();
  const { chat } = context;
  const find = chat.own("previews", () =>
    createPreviews({
      chain: chat.hive,
      outside: outsideOf(chat),
      privateHosts: chat.config.outside.privateHosts,
    }),
  );
  return find(new URL(address), await readOwnId(context), signal);
}

type Sources = {
  chain: ChainReader;
  /** Null if the gateway must not contact other servers. */
  outside: Outside | null;
  privateHosts: readonly string[];
};

/**
 * Reads and caches link previews, no address twice at the same time. `now` is a monotonic clock in ms. A
 * caller that disconnects (`signal`) leaves the line.
 */
export function createPreviews(
  { chain, outside, privateHosts }: Sources,
  now: () => number = () => performance.now(),
): (address: URL, reader: string, signal?: AbortSignal) => Promise<Preview> {
  const cache = <V>(ttlMs: number) => createTtlLruCache<V>({ maxEntries: MOST_KEPT, ttlMs, now });
  const posts = cache<Preview>(POST_FOR_MS);
  const pages = cache<Preview>(PAGE_FOR_MS);
  const refused = cache<true>(REFUSED_FOR_MS);
  // Keeps slow pages from delaying reads from the chain.
  const sharePost = createSharedTurns<HivePost | null>(
    createTurns({ places: AT_ONCE, mostWaiting: MOST_WAITING }),
  );
  const sharePage = createSharedTurns<Preview>(createOutsideTurns());

  const pictureAt = (text: string | null, base: URL): string | null => {
    if (!outside || text === null || !URL.canParse(text, base.href)) return null;
    return readOutsideAddress(new URL(text, base.href).href, privateHosts)?.href ?? null;
  };

  const findPost = (name: PostName, reader: string, leaving?: AbortSignal): Promise<HivePost | null> =>
    sharePost(
      `${name.author}/${name.permlink}`,
      { person: reader },
      () =>
        underSignals([AbortSignal.timeout(CHAIN_TIMEOUT_MS)], (signal) => readPost(chain, name, { signal })),
      leaving,
    ).catch((error: unknown) => {
      leaving?.throwIfAborted();
      if (error instanceof CodedError && error.code === "overloaded") throw error;
      // The chain is unreachable, but the site that shows the post might describe it.
      return null;
    });

  const previewPost = (post: HivePost, address: URL): Preview => {
    if (post.isHidden) throw new OutsideFault("status", "hidden by its voters or moderators");
    const { author, title, payout, picture } = post;
    return {
      kind: "hive_post",
      site: address.host,
      title: oneLine(title, LONGEST_TITLE) ?? `@${author}/${post.permlink}`,
      description: null,
      author,
      payout,
      picture: pictureAt(picture, address),
    };
  };

  const readPage = async (address: URL): Promise<Preview> => {
    if (!outside || !readOutsideAddress(address.href, privateHosts)) throw new OutsideFault("address");
    const accept = "text/html, application/xhtml+xml";
    const wanted = { accept, limitBytes: READ_BYTES, takesBeginning: true };
    const { url, bytes, header } = await outside.fetch(address.href, wanted);
    const type = header("content-type") ?? "";
    if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) throw new OutsideFault("status", "no page");
    const head = readPageHead(decodePage(bytes, type));
    const title = oneLine(head.title ?? "", LONGEST_TITLE);
    if (title === null) throw new OutsideFault("status", "no title");
    return {
      kind: "page",
      // Read from the address, because a page can claim another site's name.
      site: url.host,
      title,
      description: oneLine(head.description ?? "", LONGEST_DESCRIPTION),
      author: null,
      payout: null,
      picture: pictureAt(head.picture, url),
    };
  };

  const look = async (address: URL, reader: string, signal?: AbortSignal): Promise<Preview> => {
    const name = postAt(address);
    const post = name && (await findPost(name, reader, signal));
    if (post) {
      const preview = previewPost(post, address);
      posts.set(address.href, preview);
      return preview;
    }
    const asker = { person: reader, group: address.host };
    const preview = await sharePage(address.href, asker, () => readPage(address), signal);
    // The page's own description of a post is cached as briefly as a post, until the chain answers again.
    (name ? posts : pages).set(address.href, preview);
    return preview;
  };

  return async (address, reader, signal) => {
    const known = posts.get(address.href) ?? pages.get(address.href);
    if (known) return known;
    if (refused.get(address.href)) throw noPreview();
    return look(address, reader, signal).catch((error: unknown) => {
      if (!(error instanceof OutsideFault)) throw error;
      log().debug({ host: address.host, reason: error.reason }, "a link has no preview");
      refused.set(address.href, true);
      throw noPreview(error);
    });
  };
}

/** Characters that reverse or hide the text around them. */
const UNSHOWN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Flattens a page's text to one line of up to `most` characters; null if nothing remains. */
function oneLine(text: string, most: number): string | null {
  const line = text
    .slice(0, most * 8)
    .replace(UNSHOWN, "")
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const signs = [...line];
  if (signs.length === 0) return null;
  return signs.length > most
    ? `${signs
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`
    : line;
}
