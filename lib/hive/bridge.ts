import { z } from "zod";
import { CodedError } from "../errors.ts";
import { ChainError, isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

const communityName = /^hive-[1-3]\d{4,6}$/;

/** Returns true if the text has the form of a community's id. Only the chain knows whether the community exists. */
export function isCommunityName(text: string): boolean {
  return communityName.test(text);
}

const Community = z.object({ name: z.string(), title: z.string() });
export type Community = z.infer<typeof Community>;

/** `[community, title, role, role title]`. Rows that name anything other than a community are dropped. */
const Subscriptions = z
  .array(z.tuple([z.string(), z.string()], z.unknown()))
  .transform((rows) => rows.map(([name, title]): Community => ({ name, title })))
  .transform((communities) => communities.filter(({ name }) => isCommunityName(name)));

const roles = ["muted", "guest", "member", "mod", "admin", "owner"] as const;
export type CommunityRole = (typeof roles)[number];
const Context = z.object({ role: z.enum(roles) });

/**
 * Returns the communities that the account subscribes to, without duplicates.
 * @throws CodedError `chain_unavailable`
 */
export async function readSubscriptions(
  chain: ChainReader,
  account: string,
  options?: ReadOptions,
): Promise<Community[]> {
  const communities = await asked(
    chain.read("bridge.list_all_subscriptions", { account }, Subscriptions, options),
    [],
  );
  return [...new Map(communities.map((community) => [community.name, community])).values()];
}

/**
 * Returns the community with its title, or null if the chain has none of that name.
 * @throws CodedError `chain_unavailable`
 */
export async function readCommunity(
  chain: ChainReader,
  name: string,
  options?: ReadOptions,
): Promise<Community | null> {
  const params = { name, observer: "" };
  const found = await asked(chain.read("bridge.get_community", params, Community.nullable(), options), null);
  return found?.name === name ? found : null;
}

/**
 * Returns the account's role in the community: `guest` without a role, or if there is no such community.
 * @throws CodedError `chain_unavailable`
 */
export async function readCommunityRole(
  chain: ChainReader,
  community: string,
  account: string,
  options?: ReadOptions,
): Promise<CommunityRole> {
  const params = { name: community, account };
  const guest: z.infer<typeof Context> = { role: "guest" };
  return (await asked(chain.read("bridge.get_community_context", params, Context, options), guest)).role;
}

/**
 * Returns the answer, or `none` if the chain says that it has no such thing. Any other refusal becomes
 * `chain_unavailable`.
 */
async function asked<T>(answer: Promise<T>, none: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (
      error instanceof ChainError &&
      /does not exist|not found/i.test(error.message) &&
      !isUnknownMethod(error)
    )
      return none;
    if (error instanceof ChainError) throw new CodedError("chain_unavailable", { cause: error });
    throw error;
  }
}
