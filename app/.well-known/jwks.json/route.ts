import { route } from "../../../lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/.well-known/jwks.json", {
  GET: async ({ services }) => {
    const { publicKeys } = await services.authentication();
    return Response.json(publicKeys);
  },
});
