import { CodedError } from "../../errors.ts";
import { isAnswer, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostSession } from "../../mattermost/mattermost.ts";
import type { ServerStatus } from "../../mattermost/server-status.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { tokenRefused } from "./pat-vault.ts";

/** What is asked before a refusal is believed. */
export type MattermostProbes = {
  serverStatus(): Promise<ServerStatus>;
  /** Whether the service's own token is refused as well. */
  isAdminRefused(): Promise<boolean>;
  /** Whether Mattermost failed several other calls within the last seconds. */
  failedLately(): boolean;
  /** Whether Mattermost failed any call within the last seconds. */
  failedOnce(): boolean;
};

const doubtful: readonly number[] = [400, 401, 403, 404];

/**
 * While its database is down, and for a moment after it came back, a Mattermost refuses tokens, knows nobody and denies
 * rights; while it takes no tokens it refuses all. Such a refusal is not its caller's fault, and becomes 502. Other
 * errors come back as they are.
 */
export async function explainFailure(probesOf: () => MattermostProbes, error: unknown): Promise<unknown> {
  const cause = refusalBehind(error);
  if (!(error instanceof CodedError) || !cause) return error;
  if (error.status >= 500 || !doubtful.includes(cause.status)) return error;
  const probes = probesOf();
  const isOutage = async () => !(await probes.serverStatus()).isDatabaseUp || probes.failedLately();
  try {
    // A database that is stopped ends its connections one by one: after any failure the first look may have been too early.
    if ((await isOutage()) || (probes.failedOnce() && (await isOutage())))
      return new CodedError("backend_unreachable", { cause });
    return cause.status === 401 && (await probes.isAdminRefused()) ? tokenRefused(cause) : error;
  } catch (doubt) {
    // Who is gone now proves nobody signed out; who answers anything has said this before.
    const isGone = doubt instanceof CodedError && !isAnswer(doubt.cause);
    const isDoubted = probes.failedLately() || (cause.status === 401 && isGone);
    return isDoubted ? new CodedError("backend_unreachable", { cause }) : error;
  }
}

/** The refusal that an error stands for, also where a use case told it by another code. */
function refusalBehind(error: unknown): MattermostRefusal | undefined {
  if (error instanceof MattermostRefusal) return error;
  return error instanceof CodedError ? refusalBehind(error.cause) : undefined;
}

/** Whether Mattermost refuses a token. @throws CodedError when it does not say */
export async function isRefused(caller: MattermostSession): Promise<boolean> {
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
 * To be asked before an empty answer is believed.
 * @throws CodedError `backend_unreachable` while Mattermost's database is down
 */
export async function believeEmpty({ serverStatus }: Pick<MattermostProbes, "serverStatus">): Promise<void> {
  const { isDatabaseUp } = await serverStatus().catch(() => ({ isDatabaseUp: true }));
  if (!isDatabaseUp) throw new CodedError("backend_unreachable");
}
