import { CodedError } from "../../../lib/errors.ts";
import { route } from "../../../lib/services/services.ts";

/** What no other route file answers, where Next serves them: its own 404 would be a page. */
const nothing = route({}, () => {
  throw new CodedError("not_found");
});

export { nothing as DELETE, nothing as GET, nothing as PATCH, nothing as POST, nothing as PUT };
