import { z } from "zod";

/** Maximum resources of one answer. */
const MOST_RESOURCES = 100;
const USUAL = 20;
const MOST_TO_SKIP = 10_000;

const filter = (what: string) => z.string().max(128).optional().describe(what);

const Filters = z.object({
  type: filter("kind of resource: `http`"),
  payTo: filter("account that is paid"),
  scheme: filter("payment scheme, such as `exact`"),
  network: filter("name of the chain"),
  extensions: filter("name of an extension, such as `bazaar`"),
  limit: whole(1, MOST_RESOURCES).default(USUAL).describe(`maximum resources, up to ${MOST_RESOURCES}`),
});
export type Filters = z.infer<typeof Filters>;

/** The query of a page of the catalogue. */
export const ResourcesQuery = Filters.extend({
  offset: whole(0, MOST_TO_SKIP).default(0).describe("resources to skip"),
});
export type ResourcesQuery = z.infer<typeof ResourcesQuery>;

/** The query of a search of the catalogue. */
export const SearchQuery = Filters.extend({
  query: z.string().trim().min(1).max(200).describe("words in any order"),
  cursor: whole(0, MOST_TO_SKIP).default(0).describe("`pagination.cursor` of the page before"),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** A number in an address: digits only. */
function whole(least: number, most: number) {
  const message = `must be a number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(least, message).max(most, message));
}
