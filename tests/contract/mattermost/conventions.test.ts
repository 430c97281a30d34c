import { expect, it } from "vitest";
import { describeMattermost } from "./support/world.ts";

const ID = /^[a-z0-9]{26}$/;

describeMattermost("conventions", (world) => {
  it("an answer has a request id and a version", async () => {
    const { status, headers } = await world.call(world.admin, "GET", "/users/me");
    expect(status).toBe(200);
    expect(headers.get("x-request-id")).toMatch(ID);
    expect(headers.get("x-version-id")).toMatch(/^\d+\.\d+\.\d+\..*\.(true|false)$/);
    expect(headers.get("content-type")).toContain("application/json");
  });

  it("errors have their id, a message, an empty detail, the request id and the status", async () => {
    const { status, headers, body } = await world.call(world.admin, "GET", `/channels/${"a".repeat(26)}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      id: "app.channel.get.existing.app_error",
      message: expect.stringMatching(/.+/),
      detailed_error: "",
      request_id: headers.get("x-request-id"),
      status_code: 404,
    });
  });

  it("an unknown route returns 404 with a detail and no request id", async () => {
    for (const [method, path] of [
      ["GET", "/nosuch"],
      ["PATCH", "/users/me"],
    ] as const) {
      const { status, body } = await world.call(world.admin, method, path);
      expect(status).toBe(404);
      expect(body.id).toBe("api.context.404.app_error");
      expect(body.detailed_error).toContain(`url='/api/v4${path}'`);
      expect(body).not.toHaveProperty("request_id");
    }
  });

  it("a missing, unknown or empty session returns 401", async () => {
    for (const authorization of [
      undefined,
      `Bearer ${"x".repeat(26)}`,
      "Bearer ",
      "Basic YTpi",
      "nonsense",
    ]) {
      const { status, body } = await world.call(null, "GET", "/users/me", undefined, {
        ...(authorization && { authorization }),
      });
      expect([authorization, status, body.id]).toEqual([
        authorization,
        401,
        "api.context.session_expired.app_error",
      ]);
    }
  });

  it("the scheme may be Bearer in any case or Token, and the cookie wins over the header", async () => {
    const bob = await world.person();
    for (const scheme of ["bearer", "BEARER", "Token", "token"]) {
      const { status } = await world.call(null, "GET", "/users/me", undefined, {
        authorization: `${scheme} ${bob.token}`,
      });
      expect([scheme, status]).toEqual([scheme, 200]);
    }
    const both = await world.call(world.admin, "GET", "/users/me", undefined, {
      cookie: `MMAUTHTOKEN=${bob.token}`,
    });
    expect(both.body.id).toBe(bob.id);
  });

  it("a personal token in the address is refused", async () => {
    const { status, body } = await world.call(null, "GET", `/users/me?access_token=${world.admin.token}`);
    expect([status, body.id]).toEqual([401, "api.context.token_provided.app_error"]);
  });

  it("a bad token is ignored where none is needed", async () => {
    const { status, body } = await world.call(null, "GET", "/system/ping", undefined, {
      authorization: "Bearer x",
    });
    expect([status, body.status]).toEqual([200, "OK"]);
  });

  it("changes in a cookie session require the CSRF token or the XMLHttpRequest header", async () => {
    const bob = await world.person();
    const login = await world.call(
      null,
      "POST",
      "/users/login",
      { login_id: bob.username, password: bob.password },
      { "x-requested-with": "XMLHttpRequest" },
    );
    const cookies = login.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    const named = (name: string) =>
      cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
    expect(named("MMAUTHTOKEN")).toBe(login.headers.get("token"));
    expect(named("MMUSERID")).toBe(bob.id);
    const cookie = `MMAUTHTOKEN=${named("MMAUTHTOKEN")}`;
    const patch = (headers: Record<string, string>) =>
      world.call(null, "PUT", `/users/${bob.id}/patch`, { position: "here" }, { cookie, ...headers });
    expect((await world.call(null, "GET", "/users/me", undefined, { cookie })).status).toBe(200);
    const forged = await patch({});
    expect([forged.status, forged.body.id]).toEqual([401, "api.context.session_expired.app_error"]);
    expect((await patch({ "x-csrf-token": "wrong" })).status).toBe(401);
    expect((await patch({ "x-csrf-token": named("MMCSRF") })).status).toBe(200);
    expect((await patch({ "x-requested-with": "XMLHttpRequest" })).status).toBe(200);
  });

  it("a matching ETag returns 304", async () => {
    const bob = await world.person();
    const channel = await world.channel([bob]);
    await world.post(bob, channel.id, "etag");
    for (const path of [`/users/${bob.id}`, `/channels/${channel.id}/posts`]) {
      const first = await world.call(bob, "GET", path);
      const etag = first.headers.get("etag") ?? "";
      expect([path, etag.length > 0]).toEqual([path, true]);
      expect((await world.call(bob, "GET", path, undefined, { "if-none-match": etag })).status).toBe(304);
    }
  });

  it("paths accept `me` as the user's id", async () => {
    const bob = await world.person();
    for (const path of ["/users/me", `/users/me/teams/${world.team.id}/channels`]) {
      expect((await world.call(bob, "GET", path)).status).toBe(200);
    }
    const channel = await world.channel([bob]);
    const member = await world.call(bob, "GET", `/channels/${channel.id}/members/me`);
    expect(member.body.user_id).toBe(bob.id);
  });

  it("an id of the wrong length and a body other than JSON return 400, and an id with other characters 404", async () => {
    for (const path of ["/channels/short", `/users/${"x".repeat(25)}`, `/posts/${"x".repeat(27)}`]) {
      const { status, body } = await world.call(world.admin, "GET", path);
      expect([path, status, body.id]).toEqual([path, 400, "api.context.invalid_url_param.app_error"]);
    }
    for (const path of ["/channels/short_x", "/users/a-b"]) {
      expect((await world.call(world.admin, "GET", path)).body.id).toBe("api.context.404.app_error");
    }
    const body = await world.call(world.admin, "POST", "/posts", "{nonsense");
    expect([body.status, body.body.id]).toEqual([400, "api.context.invalid_body_param.app_error"]);
  });

  it("page sizes are capped at 200, and malformed ones fall back to the default", async () => {
    const { status, body } = await world.call(world.admin, "GET", "/users?page=nonsense&per_page=-5");
    expect(status).toBe(200);
    expect(body.length).toBeLessThanOrEqual(60);
    const capped = await world.call(world.admin, "GET", "/users?per_page=100000");
    expect(capped.body.length).toBeLessThanOrEqual(200);
  });

  it("ping and config are served", async () => {
    expect((await world.admin.client.ping(false, "")).status).toBe("OK");
    const config = (await world.admin.client.getClientConfig()) as unknown as Record<string, string>;
    for (const key of [
      "Version",
      "BuildNumber",
      "EnableUserAccessTokens",
      "MaxPostSize",
      "CollapsedThreads",
    ]) {
      expect([key, typeof config[key]]).toEqual([key, "string"]);
    }
    expect(config.EnableUserAccessTokens).toBe("true");
    expect(config.MaxPostSize).toBe("16383");
    const unformatted = await world.call(world.admin, "GET", "/config/client");
    if (unformatted.status !== 200) {
      expect([unformatted.status, unformatted.body.id]).toEqual([
        501,
        "api.config.client.old_format.app_error",
      ]);
    }
  });
});
