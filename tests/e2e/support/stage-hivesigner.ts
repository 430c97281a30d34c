import type { BrowserContext } from "playwright/test";
import { formAccessToken } from "../../harness/form-access-token.ts";

/** Answers for HiveSigner: it signs for the account of the link, and returns with code and state. */
export const stageHivesigner = (context: BrowserContext) =>
  context.route("https://hivesigner.com/**", async (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const username = asked.get("account") ?? "";
    const code = formAccessToken(username, {
      app: asked.get("client_id") ?? "",
      timestamp: Math.floor(Date.now() / 1000),
    });
    const fields = new URLSearchParams({ code, state: asked.get("state") ?? "", username });
    fields.set("expires_in", "604800");
    await route.fulfill({ status: 302, headers: { location: `${asked.get("redirect_uri")}?${fields}` } });
  });
