import { currentConfig } from "../../../lib/config.ts";
import { CodedError } from "../../../lib/errors.ts";
import { route } from "../../../lib/http/route.ts";

/** Accounts, keys and addresses of the sandbox; on live settings there is no such thing. */
export const GET = route({}, () => {
  const { sandbox } = currentConfig();
  if (!sandbox) throw new CodedError("not_found");
  return sandbox;
});

export { preflight as OPTIONS } from "../../../lib/http/preflight.ts";
