import { z } from "zod";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { createCommunity } from "../state/genesis.ts";
import type { Community, Role, State } from "../types.ts";

const rank: Record<Role, number> = { muted: -2, guest: 0, member: 2, mod: 4, admin: 6, owner: 8 };
const communityOperations = "community";

const Target = z.object({ community: z.string() });
const Props = z.object({
  title: z.string().min(1).max(32).optional(),
  about: z.string().max(120).optional(),
  description: z.string().max(5000).optional(),
  flag_text: z.string().max(5000).optional(),
  lang: z.string().length(2).optional(),
  is_nsfw: z.boolean().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});

/** Returns whether an account of this name is a community. */
export function isCommunityName(name: string): boolean {
  return /^hive-[123]\d{4,6}$/.test(name);
}

/** Makes the community of a new account, which owns it. */
export function addCommunity(state: State, name: string, now: number): void {
  const seed = { name, title: "", about: "", roles: [[name, "owner"]] as const, subscribers: [] };
  state.communities.set(name, createCommunity(seed, { id: state.communities.size + 1, now }));
}

/** The role number that decides who may do what; guests have none of their own. */
export function rankOf(community: Community, account: string): number {
  return rank[community.roles.get(account)?.role ?? "guest"];
}

/**
 * What the community index makes of a custom_json. The chain itself takes any JSON,
 * so an operation that the index refuses stays without effect and without an error.
 */
export function applyCommunityOperation(
  state: State,
  { id, json, required_posting_auths }: Extract<Operation, { type: "custom_json" }>,
): void {
  const [actor] = required_posting_auths;
  if (id !== communityOperations || actor === undefined || required_posting_auths.length !== 1) return;
  const action = z.tuple([z.string(), z.record(z.string(), z.unknown())]).safeParse(JSON.parse(json));
  const target = Target.safeParse(action.data?.[1]);
  const community = state.communities.get(target.data?.community ?? "");
  if (!action.success || !community) return;
  const [name, fields] = action.data;
  const changed = Object.hasOwn(actions, name)
    ? actions[name]?.({ community, actor, fields, state })
    : undefined;
  if (changed) state.communities.set(community.name, changed);
}

type Action = (input: {
  community: Community;
  actor: string;
  fields: Record<string, unknown>;
  state: State;
}) => Community | undefined;

const actions: Record<string, Action | undefined> = {
  subscribe({ community, actor }) {
    if (community.subscribers.includes(actor)) return undefined;
    return { ...community, subscribers: [...community.subscribers, actor] };
  },
  unsubscribe({ community, actor }) {
    return { ...community, subscribers: community.subscribers.filter((name) => name !== actor) };
  },
  setRole({ community, actor, fields, state }) {
    const wanted = z
      .object({ account: z.string(), role: z.enum(["muted", "guest", "member", "mod", "admin"]) })
      .safeParse(fields);
    if (!wanted.success || !state.accounts.has(wanted.data.account)) return undefined;
    const { account, role } = wanted.data;
    const own = rankOf(community, actor);
    const isAllowed =
      own >= rank.mod && own > rank[role] && (account === actor || rankOf(community, account) < own);
    const title = community.roles.get(account)?.title ?? "";
    return isAllowed
      ? { ...community, roles: new Map(community.roles).set(account, { role, title }) }
      : undefined;
  },
  setUserTitle({ community, actor, fields, state }) {
    const wanted = z.object({ account: z.string(), title: z.string().max(32) }).safeParse(fields);
    if (!wanted.success || !state.accounts.has(wanted.data.account)) return undefined;
    if (rankOf(community, actor) < rank.mod) return undefined;
    const { account, title } = wanted.data;
    const role = community.roles.get(account)?.role ?? "guest";
    return { ...community, roles: new Map(community.roles).set(account, { role, title }) };
  },
  updateProps({ community, actor, fields }) {
    const props = Props.safeParse(fields.props);
    if (!props.success || rankOf(community, actor) < rank.admin) return undefined;
    const { flag_text, is_nsfw, title, about, description, lang, settings } = props.data;
    return {
      ...community,
      title: title ?? community.title,
      about: about ?? community.about,
      description: description ?? community.description,
      lang: lang ?? community.lang,
      settings: settings ?? community.settings,
      flagText: flag_text ?? community.flagText,
      isNsfw: is_nsfw ?? community.isNsfw,
    };
  },
};
