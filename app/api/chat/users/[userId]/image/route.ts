import { readUserImage } from "../../../../../../lib/chat/people/read-user-image.ts";
import { route } from "../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../lib/http/headers.ts";

export const GET = route({ ids: ["userId"], cache: "public, max-age=300" }, ({ params, request, signal }) =>
  readUserImage(params.userId, request.headers.get("if-none-match"), signal),
);
