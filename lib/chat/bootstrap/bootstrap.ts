import { createSingleFlight } from "../../async/concurrency.ts";
import { underSignals } from "../../async/time-limits.ts";
import type { Bootstrap } from "../../contract/answers.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { type Community, isCommunityName, readCommunity, readSubscriptions } from "../../hive/bridge.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import { metrics } from "../../metrics.ts";
import { assertUnreservedName } from "../access/identities.ts";
import { explainRefusal } from "../access/pat-vault.ts";
import { rememberChannels } from "../caller/caches.ts";
import type { Chat } from "../caller/chat.ts";
import { rememberPatOwner } from "../caller/pat-owners.ts";
import { createCommunityChannels } from "./community-channels.ts";
import { openAccount, placeUser, type SigningIn } from "./open-account.ts";

/** The result of a bootstrap. */
type Opened = Omit<Bootstrap, "ok">;

const DEADLINE_MS = 30_000;
const SUBSCRIPTIONS_TIMEOUT_MS = 5000;

/**
 * Sets up a verified chain account: its chat user, membership in the team, the channels of its communities and the
 * requested one, and the token of this sign-in. Identical calls at the same time share one run, which continues if a
 * caller leaves, since every step can be repeated.
 * @throws CodedError `unauthorized` (an ended sign-in), `invalid_request`, `not_found` (community), `auth_unavailable`
 * (community cannot be looked up), `forbidden`, `name_reserved`, `name_taken`, `user_limit_reached`,
 * `chat_token_refused`, `backend_unreachable`, `backend_timeout` (30 s in total)
 */
export async function bootstrap(
  chat: Chat,
  username: string,
  signingIn: SigningIn,
  wish: unknown,
): Promise<Opened> {
  const community = readWish(wish);
  const share = chat.own("bootstraps", () => createSingleFlight<Opened>());
  return share(JSON.stringify([username, signingIn.proof.id, community]), () =>
    runUnderDeadline(chat, username, signingIn, community),
  );
}

async function runUnderDeadline(
  chat: Chat,
  username: string,
  signingIn: SigningIn,
  community: string | undefined,
): Promise<Opened> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new CodedError("backend_timeout")), DEADLINE_MS);
  // Only this caller stops waiting: work shared with other bootstraps continues for them.
  const overdue = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener("abort", () => reject(deadline.signal.reason));
  });
  try {
    return await Promise.race([run(chat, username, signingIn, community, deadline.signal), overdue]);
  } catch (error) {
    throw await explainRefusal(chat.serverStatus, notTheCallersFault(error));
  } finally {
    clearTimeout(timer);
  }
}

async function run(
  chat: Chat,
  username: string,
  signingIn: SigningIn,
  community: string | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  const { mattermost, config, hive, store } = chat;
  assertUnreservedName(username);
  const channels = createCommunityChannels(chat, community);
  const admin = mattermost.asAdmin(config.chat.adminToken.reveal(), signal);

  // If the chain is unreachable, people still get into the channels that they are already in.
  const reading = underSignals([signal, AbortSignal.timeout(SUBSCRIPTIONS_TIMEOUT_MS)], (until) =>
    hive.agree((node) => readSubscriptions(node, username), { isSame: isSameList, signal: until }),
  )
    .then(([subscriptions]) => subscriptions)
    .catch(() => null);
  const named = community === undefined ? null : await findCommunity(chat, community, signal);
  const [account, subscriptions] = await Promise.all([
    openAccount({ ...chat, admin, signal }, username, signingIn),
    reading,
  ]);
  rememberChannels(chat.caches, account.channels);
  const [channelId] = await Promise.all([
    placeUser({ store, own: chat.own, channels }, account, subscriptions, named),
    rememberPatOwner(chat, account.pat.token, { id: account.pat.userId, username }),
  ]);
  return { userId: account.pat.userId, channelId, token: account.pat.token };
}

/** Returns the name of the requested community, which the chain has yet to confirm. */
function readWish(wish: unknown): string | undefined {
  if (wish === undefined || wish === null) return undefined;
  if (typeof wish === "string" && isCommunityName(wish)) return wish;
  const issues = [{ path: "community", message: "must be the id of a community, such as hive-123456" }];
  throw new CodedError("invalid_request", { issues });
}

async function findCommunity({ hive }: Chat, name: string, signal: AbortSignal): Promise<Community> {
  // The community's title becomes the channel's, so a single node must not be able to invent it.
  const [community] = await hive
    .agree((node) => readCommunity(node, name), { signal })
    .catch((error: unknown) => {
      const isAway = hasCode(error, "chain_unavailable");
      throw isAway ? new CodedError("auth_unavailable", { cause: error }) : error;
    });
  if (!community) throw new CodedError("not_found", { message: "There is no such community." });
  return community;
}

/** Returns whether two lists hold the same communities with the same titles, in any order. */
function isSameList(one: readonly Community[], other: readonly Community[]): boolean {
  const textOf = (list: readonly Community[]) =>
    JSON.stringify(list.map(({ name, title }) => `${name} ${title}`).sort());
  return textOf(one) === textOf(other);
}

const ownFaults: readonly CodedError["code"][] = [
  "invalid_request",
  "unauthorized",
  "not_found",
  "conflict",
  "payload_too_large",
];

/**
 * Returns a fault of the gateway instead of Mattermost's refusal of a call that the gateway made on its own
 * account, since the caller is not to blame. Other errors are returned unchanged.
 */
function notTheCallersFault(error: unknown): unknown {
  const isOurs =
    error instanceof CodedError && error.cause instanceof MattermostRefusal && ownFaults.includes(error.code);
  return isOurs ? new CodedError("backend_unreachable", { cause: error.cause }) : error;
}

/** Counts the outcome of a bootstrap. */
export async function recordBootstrap<T>(work: () => Promise<T>): Promise<T> {
  const { bootstraps } = metrics();
  try {
    const result = await work();
    bootstraps.inc({ outcome: "ok" });
    return result;
  } catch (error) {
    bootstraps.inc({ outcome: error instanceof CodedError ? error.code : "internal" });
    throw error;
  }
}
