import { createSingleFlight } from "../../async/concurrency.ts";
import { underSignals } from "../../async/time-limits.ts";
import type { Bootstrap } from "../../contract/answers.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { type Community, isCommunityName, readCommunity, readSubscriptions } from "../../hive/bridge.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import { metrics } from "../../metrics.ts";
import { assertUnreservedName } from "../access/identities.ts";
import { explainRefusal } from "../access/pat-vault.ts";
import { type Gateway, rememberChannels } from "../session/gateway.ts";
import { rememberPatOwner } from "../session/session.ts";
import { createCommunityChannels } from "./community-channels.ts";
import { openAccount, placeUser, type SigningIn } from "./open-account.ts";

/** What a bootstrap answers. */
type Opened = Omit<Bootstrap, "ok">;

const DEADLINE_MS = 30_000;
const SUBSCRIPTIONS_TIMEOUT_MS = 5000;

/**
 * Gives a chain account, whose identity was verified, its chat user, membership in the team, the channels of its
 * communities and the one wished for, and the token of this sign-in. Calls for the same that come at the same time share one run,
 * which goes on when a caller leaves: all it does may be done again.
 * @throws CodedError `unauthorized` (a sign-in that was ended), `invalid_request`, `not_found` (community), `auth_unavailable` (community can't be looked up),
 * `forbidden`, `name_reserved`, `name_taken`, `user_limit_reached`, `chat_token_refused`, `backend_unreachable`,
 * `backend_timeout` (30 s for all)
 */
export async function bootstrap(
  gateway: Gateway,
  username: string,
  signingIn: SigningIn,
  wish: unknown,
): Promise<Opened> {
  const community = readWish(wish);
  const share = gateway.own("bootstraps", () => createSingleFlight<Opened>());
  return share(JSON.stringify([username, signingIn.proof.id, community]), () =>
    runUnderDeadline(gateway, username, signingIn, community),
  );
}

async function runUnderDeadline(
  gateway: Gateway,
  username: string,
  signingIn: SigningIn,
  community: string | undefined,
): Promise<Opened> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new CodedError("backend_timeout")), DEADLINE_MS);
  // What is shared with other bootstraps goes on for them.
  const overdue = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener("abort", () => reject(deadline.signal.reason));
  });
  try {
    return await Promise.race([run(gateway, username, signingIn, community, deadline.signal), overdue]);
  } catch (error) {
    throw await explainRefusal(gateway.serverStatus, notTheCallersFault(error));
  } finally {
    clearTimeout(timer);
  }
}

async function run(
  gateway: Gateway,
  username: string,
  signingIn: SigningIn,
  community: string | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  const { mattermost, config, hive, store } = gateway;
  assertUnreservedName(username);
  const channels = createCommunityChannels(gateway, community);
  const admin = mattermost.asAdmin(config.chat.adminToken.reveal(), signal);

  // Without the chain people still get into the channels that they are in.
  const reading = underSignals([signal, AbortSignal.timeout(SUBSCRIPTIONS_TIMEOUT_MS)], (until) =>
    hive.agree((node) => readSubscriptions(node, username), { isSame: isSameList, signal: until }),
  )
    .then(([subscriptions]) => subscriptions)
    .catch(() => null);
  const named = community === undefined ? null : await findCommunity(gateway, community, signal);
  const [account, subscriptions] = await Promise.all([
    openAccount({ ...gateway, admin, signal }, username, signingIn),
    reading,
  ]);
  rememberChannels(gateway.caches, account.channels);
  const [channelId] = await Promise.all([
    placeUser({ store, own: gateway.own, channels }, account, subscriptions, named),
    rememberPatOwner(gateway, account.pat.token, { id: account.pat.userId, username }),
  ]);
  return { userId: account.pat.userId, channelId, token: account.pat.token };
}

/** The community asked for, which is the caller's word until the chain knows it. */
function readWish(wish: unknown): string | undefined {
  if (wish === undefined || wish === null) return undefined;
  if (typeof wish === "string" && isCommunityName(wish)) return wish;
  const issues = [{ path: "community", message: "must be the id of a community, such as hive-123456" }];
  throw new CodedError("invalid_request", { issues });
}

async function findCommunity({ hive }: Gateway, name: string, signal: AbortSignal): Promise<Community> {
  // Its title stays with the channel, so that one node alone must not invent it.
  const [community] = await hive
    .agree((node) => readCommunity(node, name), { signal })
    .catch((error: unknown) => {
      const isAway = hasCode(error, "chain_unavailable");
      throw isAway ? new CodedError("auth_unavailable", { cause: error }) : error;
    });
  if (!community) throw new CodedError("not_found", { message: "There is no such community." });
  return community;
}

/** The same communities with the same titles, in whatever order. */
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

/** What Mattermost refused of our own calls is no fault of the caller's request. */
function notTheCallersFault(error: unknown): unknown {
  const isOurs =
    error instanceof CodedError && error.cause instanceof MattermostRefusal && ownFaults.includes(error.code);
  return isOurs ? new CodedError("backend_unreachable", { cause: error.cause }) : error;
}

/** Counts how a bootstrap ends. */
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
