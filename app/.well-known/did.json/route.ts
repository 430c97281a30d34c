import { CodedError } from "../../../lib/errors.ts";
import { didDocumentOf } from "../../../lib/services/offer-signing.ts";
import { route } from "../../../lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/.well-known/did.json", {
  GET: ({ services }) => {
    const document = services.own("did.json", () => didDocumentOf(services.config));
    if (!document) throw new CodedError("not_found");
    return document;
  },
});
