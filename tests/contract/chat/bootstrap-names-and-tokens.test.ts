import { describe, expect, it } from "vitest";
import { requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("POST /api/chat/bootstrap", () => {
  const world = useChat();

  const bootstrap = (name: string) => requestBootstrap(world.gateway.url, name);

  describe("with a name that Mattermost reserves", () => {
    it.each(["all", "channel", "here", "matterbot", "system", "system-bot"])(
      "returns 403 name_reserved for %s",
      async (name) => {
        await world.chat.chain.setAccount({ name });
        const { status, body } = await bootstrap(name);
        expect([status, body.code]).toEqual([403, "name_reserved"]);
      },
    );

    it("returns 403 name_reserved for names that only the server reserves, and for a bot's name", async () => {
      const [word, bot] = [await world.chat.newAccount(), await world.chat.newAccount()];
      const { body: user } = await world.chat.ask("GET", "/users/me");
      const reserved = { id: "api.context.invalid_body_param.app_error", status_code: 400 };
      world.chat.proxy.treat(({ path }) => {
        if (path === `/users/username/${word}`) return { status: 400, text: JSON.stringify(reserved) };
        const text = JSON.stringify({ ...user, username: bot, roles: "system_user", is_bot: true });
        return path === `/users/username/${bot}` ? { status: 200, text } : "pass";
      });
      for (const name of [word, bot])
        expect(await bootstrap(name)).toMatchObject({ status: 403, body: { code: "name_reserved" } });
    });
  });

  describe("when Mattermost refuses the gateway's calls", () => {
    it("returns 502 chat_token_refused if personal access tokens are switched off", async () => {
      const name = await world.chat.newAccount();
      const text = JSON.stringify({ id: "app.user_access_token.disabled", status_code: 501 });
      world.chat.proxy.treat(({ path }) => (path.endsWith("/tokens") ? { status: 501, text } : "pass"));
      expect(await bootstrap(name)).toMatchObject({ status: 502, body: { code: "chat_token_refused" } });
      world.chat.proxy.treat(() => "pass");
      expect((await bootstrap(name)).status).toBe(200);
    });

    it("returns 502 chat_token_refused if Mattermost no longer accepts the gateway's own token", async () => {
      const [known, unknown] = [await world.chat.newAccount(), await world.chat.newAccount()];
      expect((await bootstrap(known)).status).toBe(200);
      const text = JSON.stringify({ id: "api.context.session_expired.app_error", status_code: 401 });
      world.chat.proxy.treat(({ path }) => (path === "/system/ping" ? "pass" : { status: 401, text }));
      for (const name of [known, unknown])
        expect(await bootstrap(name)).toMatchObject({ status: 502, body: { code: "chat_token_refused" } });
    });

    it("returns 502 backend_unreachable if only Mattermost's database is down", async () => {
      const text = JSON.stringify({ id: "api.context.session_expired.app_error", status_code: 401 });
      const ping = JSON.stringify({ status: "UNHEALTHY", database_status: "UNHEALTHY" });
      world.chat.proxy.treat(({ path }) =>
        path === "/system/ping" ? { status: 500, text: ping } : { status: 401, text },
      );
      const answer = await bootstrap(await world.chat.newAccount());
      expect(answer).toMatchObject({ status: 502, body: { code: "backend_unreachable" } });
    });
  });
});
