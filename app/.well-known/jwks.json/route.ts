import { route } from "../../../lib/services/services.ts";

export const GET = route({ cache: "public, max-age=300" }, async ({ services }) => {
  const { publicKeys } = await services.authentication();
  return publicKeys;
});
