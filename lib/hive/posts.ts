import { z } from "zod";
import { addMils, formatMils, isMils, type Mils, parseMils } from "../mils.ts";
import { isAccountName } from "./account-name.ts";
import { ChainError } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

/** The identity of a post on the chain. */
export type PostName = { author: string; permlink: string };

/** Sites that show chain posts, each with its subdomains. */
const sites = [
  ...["hive.blog", "peakd.com", "ecency.com", "inleo.io", "leofinance.io", "waivio.com", "openhive.network"],
  ...["3speak.tv", "liketu.com", "d.buzz", "travelfeed.com", "travelfeed.io", "actifit.io", "skatehive.app"],
  ...[
    "hiveblocks.com",
    "hivescan.info",
    "hivexplorer.com",
    "stemgeeks.net",
    "proofofbrain.io",
    "ctptalk.com",
  ],
];

const isSite = (host: string) => sites.some((site) => host === site || host.endsWith(`.${site}`));

const AUTHOR = "([a-z][a-z0-9.-]{2,15})";
const PERMLINK = "([\\w.~-]{1,255})";
/** Patterns of a post's path and fragment. */
const forms = [
  // A comment's address starts with its post's address.
  new RegExp(`#/?@${AUTHOR}/(?:c/)?${PERMLINK}/?$`),
  new RegExp(`^(?:/[^/@]+){0,2}/@${AUTHOR}/(?:c/)?${PERMLINK}/?$`),
  new RegExp(`^/(?:threads(?:/view)?|post)/${AUTHOR}/${PERMLINK}/?$`),
  new RegExp(`^/watch\\?v=${AUTHOR}/${PERMLINK}$`),
];

/** Returns the post at an address on one of these sites, or null for any other address. */
export function postAt(address: URL): PostName | null {
  if (!/^https?:$/.test(address.protocol) || !isSite(address.hostname)) return null;
  const video = address.pathname === "/watch" ? `?v=${address.searchParams.get("v") ?? ""}` : "";
  const place = `${address.pathname}${video}`;
  for (const form of forms) {
    const [, author = "", permlink = ""] = form.exec(address.hash) ?? form.exec(place) ?? [];
    if (permlink !== "" && isAccountName(author)) return { author, permlink };
  }
  return null;
}

const Amount = z.string().transform(parseMils).pipe(z.custom<Mils>(isMils));
const Texts = z.array(z.string()).catch([]);

const Found = z
  .object({
    author: z.string(),
    permlink: z.string(),
    title: z.string(),
    is_paidout: z.boolean(),
    pending_payout_value: Amount,
    author_payout_value: Amount,
    curator_payout_value: Amount,
    max_accepted_payout: Amount,
    stats: z.object({ hide: z.boolean().catch(false), gray: z.boolean().catch(false) }).catch({
      hide: false,
      gray: false,
    }),
    json_metadata: z.object({ image: Texts, tags: Texts }).catch({ image: [], tags: [] }),
  })
  .transform(({ title, author, permlink, is_paidout, stats, json_metadata, ...money }) => ({
    author,
    permlink,
    title,
    /** True if moderators or voters hid the post. */
    isHidden: stats.hide || stats.gray,
    /** The first picture; null if there is none, or if the post is marked as not safe for work. */
    picture: json_metadata.tags.includes("nsfw") ? null : (json_metadata.image[0] ?? null),
    /** Null if the author declines the payout. */
    payout:
      money.max_accepted_payout === 0
        ? null
        : {
            isPaid: is_paidout,
            amount: formatMils(
              is_paidout
                ? addMils(money.author_payout_value, money.curator_payout_value)
                : money.pending_payout_value,
            ),
          },
  }));

export type HivePost = z.output<typeof Found>;

/**
 * Reads a post or comment with its payout from one node, which is reliable enough only for display. Null if
 * the chain has no such post.
 * @throws CodedError `chain_unavailable`
 */
export async function readPost(
  chain: ChainReader,
  { author, permlink }: PostName,
  options?: ReadOptions,
): Promise<HivePost | null> {
  try {
    const found = await chain.read("bridge.get_post", { author, permlink }, Found, options);
    return found.author === author && found.permlink === permlink ? found : null;
  } catch (error) {
    // The post was never written or was deleted, or the node serves no posts; in any case there is nothing to
    // show.
    if (error instanceof ChainError) return null;
    throw error;
  }
}
