import { CodedError, hasCode } from "../../errors.ts";
import { isAnswer, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import type { ServerStatus } from "../../mattermost/server-status.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { tokenRefused } from "./pat-vault.ts";

/** The checks that confirm or explain a refusal by Mattermost. */
export type MattermostProbes = {
  serverStatus(): Promise<ServerStatus>;
  /** Returns whether Mattermost refuses the service's own token too. */
  isAdminRefused(): Promise<boolean>;
  /** Returns whether Mattermost failed several other calls in the last few seconds. */
  failedLately(): boolean;
  /** Returns whether Mattermost failed any call in the last few seconds. */
  failedOnce(): boolean;
};

const doubtful: readonly number[] = [400, 401, 403, 404];

/**
 * Explains a refusal that may not be the caller's fault. While its database is down, and shortly afterwards, Mattermost
 * refuses valid tokens, finds no users and denies rights; while personal access tokens are switched off, it refuses all
 * of them. Such a refusal becomes 502. Other errors are returned unchanged.
 */
export async function explainFailure(probesOf: () => MattermostProbes, error: unknown): Promise<unknown> {
  const cause = refusalBehind(error);
  if (!(error instanceof CodedError) || !cause) return error;
  if (error.status >= 500 || !doubtful.includes(cause.status)) return error;
  const probes = probesOf();
  const isOutage = async () => !(await probes.serverStatus()).isDatabaseUp || probes.failedLately();
  try {
    // A stopping database closes its connections one by one, so the first check may come too early. If any
    // call failed recently, the check is repeated.
    if ((await isOutage()) || (probes.failedOnce() && (await isOutage())))
      return new CodedError("backend_unreachable", { cause });
    return cause.status === 401 && (await probes.isAdminRefused()) ? tokenRefused(cause) : error;
  } catch (doubt) {
    // An unreachable Mattermost does not prove that the token was revoked. If it answers at all, the refusal stands.
    const isGone = doubt instanceof CodedError && !isAnswer(doubt.cause);
    const isDoubted = probes.failedLately() || (cause.status === 401 && isGone);
    return isDoubted ? new CodedError("backend_unreachable", { cause }) : error;
  }
}

/** Returns the refusal behind an error, even if a use case has given the error another code. */
function refusalBehind(error: unknown): MattermostRefusal | undefined {
  if (error instanceof MattermostRefusal) return error;
  return error instanceof CodedError ? refusalBehind(error.cause) : undefined;
}

/** Returns whether Mattermost refuses a token. @throws CodedError if it does not answer */
export async function isRefused(caller: MattermostCaller): Promise<boolean> {
  try {
    await readOwnUser(caller);
    return false;
  } catch (error) {
    const cause = (error as CodedError).cause;
    if (cause instanceof MattermostRefusal && cause.status === 401) return true;
    throw error;
  }
}

/**
 * Call this before trusting an empty answer.
 * @throws CodedError `backend_unreachable` while Mattermost's database is down
 */
export async function believeEmpty({ serverStatus }: Pick<MattermostProbes, "serverStatus">): Promise<void> {
  const { isDatabaseUp } = await serverStatus().catch(() => ({ isDatabaseUp: true }));
  if (!isDatabaseUp) throw new CodedError("backend_unreachable");
}

/**
 * Resolves to null if something named in an earlier answer has since been deleted or closed to the caller, so
 * that lists leave it out.
 * @throws CodedError `backend_unreachable` if the refusal may come from an outage
 */
export async function nullIfGone<T>(probes: MattermostProbes, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!hasCode(error, "not_found", "forbidden")) throw error;
    const explained = await explainFailure(() => probes, error);
    if (explained !== error) throw explained;
    return null;
  }
}
