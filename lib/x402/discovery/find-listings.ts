import type { Listing, ResourcesPage, SearchResult } from "./answers.ts";
import type { Filters, ResourcesQuery, SearchQuery } from "./queries.ts";

/** Returns a page of the listings that match, in their order. */
export function pageOf(listings: readonly Listing[], query: ResourcesQuery): ResourcesPage {
  const { limit, offset } = query;
  const found = listings.filter(matching(query));
  const items = found.slice(offset, offset + limit);
  return { x402Version: 2, items, pagination: { limit, offset, total: found.length } };
}

/** Returns a page of the listings with most of the query's words, best first. */
export function searchIn(listings: readonly Listing[], query: SearchQuery): SearchResult {
  const words = [...new Set(wordsOf(query.query))];
  const ranked = listings
    .filter(matching(query))
    .map((listing) => ({ listing, hits: countHits(words, textOf(listing)) }))
    .filter(({ hits }) => hits > 0)
    .sort((one, other) => other.hits - one.hits)
    .map(({ listing }) => listing);
  const end = query.cursor + query.limit;
  const resources = ranked.slice(query.cursor, end);
  const isPartial = ranked.length > end;
  return {
    ...{ x402Version: 2, resources, partialResults: isPartial },
    pagination: { limit: resources.length, cursor: isPartial ? String(end) : null },
  };
}

function matching({ type, payTo, scheme, network, extensions }: Filters) {
  const fits = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;
  return (listing: Listing) =>
    fits(type, listing.type) &&
    (extensions === undefined || Object.hasOwn(listing.extensions, extensions)) &&
    listing.accepts.some(
      (offer) => fits(payTo, offer.payTo) && fits(scheme, offer.scheme) && fits(network, offer.network),
    );
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Counts the words with which a word of the text begins. */
const countHits = (words: readonly string[], text: readonly string[]) =>
  words.filter((word) => text.some((other) => other.startsWith(word))).length;

function textOf({ resource, description = "", serviceName = "", tags = [], accepts, extensions }: Listing) {
  const { input } = extensions.bazaar.info;
  const fields = Object.keys({ ...input.queryParams, ...("body" in input && asFields(input.body)) });
  const payees = accepts.map(({ payTo }) => payTo);
  return wordsOf([resource, description, serviceName, ...tags, ...fields, ...payees].join(" "));
}

const asFields = (body: unknown): object => (typeof body === "object" && body !== null ? body : {});
