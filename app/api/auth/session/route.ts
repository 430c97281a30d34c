import { route } from "../../../../lib/services/route.ts";

export const GET = route({}, async ({ services, request }) => {
  const { authenticator, cookie } = await services.authentication();
  return { username: await authenticator.accountOf(await cookie.read(request)) };
});
