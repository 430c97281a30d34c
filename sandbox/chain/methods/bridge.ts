import { isAccountName } from "../../../lib/hive/account-name.ts";
import { indexFault } from "../errors.ts";
import { isCommunityName, rankOf } from "../ledger/apply.ts";
import { formatTime } from "../parse/fields.ts";
import { renderPost } from "../render/post.ts";
import type { Community } from "../types.ts";
import type { Api, Context } from "./method.ts";

type Arguments = Record<string, unknown>;
type Named = (fields: Arguments, context: Context) => unknown;

/**
 * The community index. It shows the head block's state, and refuses in the words of the service behind
 * `bridge`.
 */
export const bridgeApi: Api = {
  get_community: named(["name", "observer"], (fields, context) => {
    const community = getCommunity(context, required(fields, "name"));
    const observer = optional(fields, "observer");
    return {
      ...summarize(community),
      description: community.description,
      flag_text: community.flagText,
      settings: community.settings,
      context: observer ? contextOf(community, observer) : {},
      team: membersByRank(community).filter(([, role]) => team.has(role)),
    };
  }),
  get_community_context: named(["name", "account"], (fields, context) => {
    const community = getCommunity(context, required(fields, "name"));
    return contextOf(community, getAccount(context, required(fields, "account")));
  }),
  list_all_subscriptions: named(["account"], (fields, context) => {
    const account = getAccount(context, required(fields, "account"));
    return [...context.chain.confirmed().communities.values()]
      .filter(({ subscribers }) => subscribers.includes(account))
      .map((community) => {
        const { role, title } = contextOf(community, account);
        return [community.name, community.title, role, title];
      });
  }),
  list_community_roles: named(["community", "last", "limit"], (fields, context) => {
    const community = getCommunity(context, required(fields, "community"));
    return page(membersByRank(community), ([name]) => name, fields, 1000);
  }),
  list_subscribers: named(["community", "last", "limit"], (fields, context) => {
    const community = getCommunity(context, required(fields, "community"));
    const rows = [...community.subscribers].reverse().map((name) => {
      const { role, title } = contextOf(community, name);
      return [name, role, title, indexTime(community.created)] as const;
    });
    return page(rows, ([name]) => name, fields, 100);
  }),
  list_communities: named(["last", "limit", "query", "sort", "observer"], (fields, context) => {
    const query = optional(fields, "query")?.toLowerCase() ?? "";
    const found = [...context.chain.confirmed().communities.values()]
      .filter(({ title, about }) => `${title} ${about}`.toLowerCase().includes(query))
      .sort((a, b) => b.subscribers.length - a.subscribers.length);
    const observer = optional(fields, "observer");
    return page(found, ({ name }) => name, fields, 100).map((community) => ({
      ...summarize(community),
      context: observer ? contextOf(community, observer) : {},
    }));
  }),
  get_post: named(["author", "permlink", "observer"], (fields, context) => {
    const author = readAccountName(required(fields, "author"));
    const permlink = readPermlink(required(fields, "permlink"));
    const posts = context.chain.posts();
    const index = posts.findIndex((post) => post.author === author && post.permlink === permlink);
    const post = posts[index];
    if (!post) throw indexFault(`Post ${author}/${permlink} does not exist`);
    return renderPost(index + 1, post, context.chain.confirmed().communities.get(post.category));
  }),
  get_profile: named(["account", "observer"], (fields, context) => {
    const account = context.chain.confirmed().accounts.get(getAccount(context, required(fields, "account")));
    return account
      ? {
          id: account.id,
          name: account.name,
          created: formatTime(account.created),
          active: formatTime(account.lastAccountUpdate || account.created),
          post_count: 0,
          reputation: 25,
          blacklists: [],
          stats: { rank: 0, following: 0, followers: 0 },
          metadata: { profile: readProfile(account.postingJsonMetadata) },
        }
      : null;
  }),
};

const team = new Set(["owner", "admin", "mod"]);

/** Creates a method that takes its arguments by name or, in this order, by position. */
function named(names: readonly string[], method: Named) {
  return (params: unknown, context: Context) => {
    if (!Array.isArray(params)) return method((params ?? {}) as Arguments, context);
    if (params.length > names.length) throw indexFault("too many positional arguments");
    return method(Object.fromEntries(params.map((value, index) => [names[index] ?? "", value])), context);
  };
}

function required(fields: Arguments, key: string): unknown {
  if (fields[key] === undefined) throw indexFault(`missing a required argument: '${key}'`);
  return fields[key];
}

function optional(fields: Arguments, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function getCommunity({ chain }: Context, name: unknown): Community {
  if (typeof name !== "string" || !isCommunityName(name))
    throw indexFault("given community name is not valid");
  const community = chain.confirmed().communities.get(name);
  if (!community) throw indexFault(`Community ${name} does not exist`);
  return community;
}

function readAccountName(name: unknown): string {
  if (typeof name !== "string") throw indexFault("invalid account name type");
  if (!isAccountName(name)) throw indexFault("invalid account char");
  return name;
}

function getAccount({ chain }: Context, wanted: unknown): string {
  const name = readAccountName(wanted);
  if (!chain.confirmed().accounts.has(name)) throw indexFault(`Account ${name} does not exist`);
  return name;
}

function readPermlink(permlink: unknown): string {
  if (typeof permlink !== "string") throw indexFault("permlink must be string");
  if (permlink === "") throw indexFault("permlink cannot be blank");
  if (permlink.length > 256) throw indexFault("invalid permlink length");
  return permlink;
}

function contextOf(community: Community, account: string) {
  const { role, title } = community.roles.get(account) ?? { role: "guest", title: "" };
  return { role, subscribed: community.subscribers.includes(account), title };
}

function membersByRank(community: Community) {
  return [...community.roles]
    .filter(([, { role }]) => role !== "guest")
    .sort(([a], [b]) => rankOf(community, b) - rankOf(community, a) || (a < b ? -1 : 1))
    .map(([name, { role, title }]) => [name, role, title] as const);
}

function summarize(community: Community) {
  return {
    id: community.id,
    name: community.name,
    title: community.title,
    about: community.about,
    lang: community.lang,
    type_id: Number(community.name.charAt("hive-".length)),
    is_nsfw: community.isNsfw,
    subscribers: community.subscribers.length,
    created_at: indexTime(community.created),
    sum_pending: 0,
    num_pending: 0,
    num_authors: 0,
  };
}

function indexTime(seconds: number): string {
  return formatTime(seconds).replace("T", " ");
}

/** Returns up to `limit` rows (50 by default) after the row named `last`. */
function page<T>(
  rows: readonly T[],
  nameOf: (row: T) => string,
  fields: Arguments,
  most: number,
): readonly T[] {
  const limit = fields.limit === undefined || fields.limit === null ? 50 : Number(fields.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw indexFault(`limit exceeds max (${limit} > ${most})`);
  const last = optional(fields, "last");
  const start = last === undefined ? 0 : rows.findIndex((row) => nameOf(row) === last) + 1;
  return rows.slice(start, start + limit);
}

function readProfile(metadata: string): unknown {
  const parsed = metadata === "" ? {} : JSON.parse(metadata);
  return typeof parsed === "object" && parsed !== null ? (parsed.profile ?? {}) : {};
}
