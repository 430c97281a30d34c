import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { openListener } from "./support/listener.ts";
import { describeMattermost } from "./support/world.ts";

const ID = /^[a-z0-9]{26}$/;

/** Returns the answer to a refused upgrade. */
function refusedUpgrade(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
    socket.on("open", () => {
      socket.terminate();
      reject(new Error("the upgrade was expected to be refused"));
    });
    socket.on("error", () => undefined);
    socket.on("unexpected-response", (_request, response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
  });
}

describeMattermost("websocket: connecting", (world) => {
  it("an upgrade with a bearer token gets hello at once", async () => {
    const bob = await world.person();
    const listener = await openListener(world.baseUrl, { token: bob.token });
    const hello = await listener.event("hello");
    expect(listener.frames[0]).toBe(hello);
    expect(hello.seq).toBe(0);
    expect(hello.data.connection_id).toMatch(ID);
    expect(hello.data.server_version).toMatch(/^\d+\.\d+/);
    expect(hello.broadcast).toMatchObject({ omit_users: null, user_id: bob.id, channel_id: "", team_id: "" });
    expect("server_hostname" in hello.data).toBe(world.answers.hasHelloServer);
    expect("omit_connection_id" in (hello.broadcast ?? {})).toBe(world.answers.hasHelloServer);
    listener.close();
    expect(await listener.closed).toBe(1000);
  });

  it("the hello is followed by the status online, numbered 1", async () => {
    const bob = await world.person();
    const listener = await world.listen(bob);
    const online = await listener.event("status_change");
    expect(online.data).toMatchObject({ status: "online", user_id: bob.id });
    expect(online.broadcast?.user_id).toBe(bob.id);
    expect(online.seq).toBe(1);
  });

  it("a token in the cookie is accepted and wins over the header", async () => {
    const bob = await world.person();
    const headers = { cookie: `a=b; MMAUTHTOKEN=${bob.token}`, authorization: `Bearer ${world.admin.token}` };
    const listener = await openListener(world.baseUrl, { headers });
    expect((await listener.event("hello")).broadcast?.user_id).toBe(bob.id);
    listener.close();
  });

  it("a trailing slash after the path is accepted", async () => {
    const bob = await world.person();
    const listener = await openListener(world.baseUrl, { token: bob.token, query: "/" });
    expect((await listener.event("hello")).seq).toBe(0);
    listener.close();
  });

  it("a challenge gets the hello and an OK with the same number", async () => {
    const bob = await world.person();
    const listener = await openListener(world.baseUrl);
    listener.send({ seq: 7, action: "authentication_challenge", data: { token: bob.token } });
    expect((await listener.event("hello")).seq).toBe(0);
    const reply = await listener.find((frame) => frame.seq_reply === 7);
    expect(reply).toEqual({ status: "OK", seq_reply: 7 });
    listener.close();
  });

  it("a challenge may contain the session token of a login", async () => {
    const bob = await world.person();
    const { headers } = await world.call(null, "POST", "/users/login", {
      login_id: bob.username,
      password: bob.password,
    });
    const listener = await openListener(world.baseUrl);
    listener.send({ seq: 1, action: "authentication_challenge", data: { token: headers.get("token") } });
    expect((await listener.event("hello")).broadcast?.user_id).toBe(bob.id);
    listener.close();
  });

  it("a bad header token still opens the socket for a challenge", async () => {
    const bob = await world.person();
    const listener = await openListener(world.baseUrl, { token: "x".repeat(26) });
    listener.send({ seq: 1, action: "authentication_challenge", data: { token: bob.token } });
    expect((await listener.event("hello")).broadcast?.user_id).toBe(bob.id);
    listener.close();
  });

  it("a second challenge is ignored", async () => {
    const bob = await world.person();
    const listener = await world.listen(bob);
    listener.send({ seq: 3, action: "authentication_challenge", data: { token: "nonsense" } });
    expect((await listener.ask("ping")).status).toBe("OK");
    expect(listener.frames.some((frame) => frame.seq_reply === 3)).toBe(false);
  });

  it.each([
    ["a bad token", { token: "x".repeat(26) }],
    ["an empty token", { token: "" }],
    ["a token that is no text", { token: 5 }],
    ["no token", {}],
  ])(
    "a client with %s in its challenge is disconnected without a close frame, sooner than a silent client",
    async (_what, data) => {
      const silent = await openListener(world.baseUrl);
      const listener = await openListener(world.baseUrl);
      listener.send({ seq: 1, action: "authentication_challenge", data });
      const isOutlived = silent.closed.then(() => "outlived by the silent one");
      expect(await Promise.race([listener.closed, isOutlived])).toBe(1006);
      expect(listener.frames).toEqual([]);
      silent.close();
    },
  );

  it("the server answers nothing before the challenge, and cuts a client that never sends one", async () => {
    const bob = await world.person();
    const [late, silent] = [await openListener(world.baseUrl), await openListener(world.baseUrl)];
    for (const listener of [late, silent]) {
      listener.send({ seq: 1, action: "ping" });
      listener.send({ seq: 0, action: "ping" });
      listener.send({ seq: 2 });
    }
    const witness = await world.listen(await world.person());
    for (let served = 0; served < 20; served += 1) await witness.ask("ping");
    expect(late.frames).toEqual([]);
    late.send({ seq: 3, action: "authentication_challenge", data: { token: bob.token } });
    expect((await late.event("hello")).broadcast?.user_id).toBe(bob.id);
    expect(await silent.closed).toBe(1006);
    expect(silent.frames).toEqual([]);
    late.close();
  });

  it("another site's Origin is refused at the upgrade, and the same site's is accepted", async () => {
    const bob = await world.person();
    const refused = await refusedUpgrade(`${world.baseUrl}/websocket`, {
      origin: "http://evil.example",
      authorization: `Bearer ${bob.token}`,
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("Forbidden");
    expect(refused.body).toContain("api.web_socket.connect.upgrade.app_error");
    const listener = await openListener(world.baseUrl, {
      token: bob.token,
      headers: { origin: new URL(world.baseUrl).origin },
    });
    expect((await listener.event("hello")).seq).toBe(0);
    listener.close();
  });

  it("a personal token in the address gets 401", async () => {
    const bob = await world.person();
    const refused = await refusedUpgrade(`${world.baseUrl}/websocket?access_token=${bob.token}`, {});
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.body)).toMatchObject({
      id: "api.context.token_provided.app_error",
      status_code: 401,
    });
  });

  it("an upgrade request for another path gets 404", async () => {
    const refused = await refusedUpgrade(`${world.baseUrl}/nosuch`, {});
    expect(refused.status).toBe(404);
    expect(JSON.parse(refused.body).id).toBe("api.context.404.app_error");
  });

  it("a plain GET is refused", async () => {
    const { status, body } = await world.call(world.admin, "GET", "/websocket");
    expect(status).toBe(400);
    expect(String(body.id ?? body)).toContain("api.web_socket.connect.upgrade.app_error");
  });
});
