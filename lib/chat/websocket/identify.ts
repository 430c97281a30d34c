import { CodedError } from "../../errors.ts";
import type { Caller } from "../../mattermost/backend.ts";
import { BackendRefusal } from "../../mattermost/backend-error.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Upstream } from "./connect-upstream.ts";

/** Whose connection it is: `hello` told it, or the backend is asked. @throws CodedError */
export async function readUserId(upstream: Upstream, caller: Caller): Promise<string> {
  if (upstream.userId !== null) return upstream.userId;
  try {
    return (await readOwnUser(caller)).id;
  } catch (error) {
    upstream.socket.terminate();
    throw error;
  }
}

/** The error behind a cut handshake: the backend cuts over a bad token and when it dies, and only REST tells which. */
export async function explainCut(caller: Caller): Promise<CodedError> {
  try {
    await readOwnUser(caller);
    return new CodedError("backend_unreachable");
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { cause } = error;
    const isRefused = cause instanceof BackendRefusal && cause.status >= 400 && cause.status < 500;
    return isRefused ? new CodedError("unauthorized", { cause }) : error;
  }
}
