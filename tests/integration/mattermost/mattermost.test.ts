import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Departure } from "../../../lib/async/departure.ts";
import { type PushedBody, readPushed } from "../../../lib/async/pushed-body.ts";
import { CodedError } from "../../../lib/errors.ts";
import { isRefusal } from "../../../lib/mattermost/exchange.ts";
import { createMattermost, type Mattermost } from "../../../lib/mattermost/mattermost.ts";

const open: Array<{ server: Server; mattermost: Mattermost }> = [];

async function serve(listener: RequestListener, timeoutMs = 2000) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const mattermost = createMattermost({ baseUrl: `http://127.0.0.1:${port}/sub/api/v4`, timeoutMs });
  open.push({ server, mattermost });
  return { server, mattermost };
}

afterEach(async () => {
  for (const { server, mattermost } of open.splice(0)) {
    await mattermost.close();
    server.closeAllConnections();
    server.close();
  }
});

const Thing = z.object({ id: z.string() });
const PAT = "p".repeat(26);
const secret = "secret upstream text at /srv/db";

const readText = async (body: PushedBody) => (await readPushed(body, 1024)).toString();

async function failure(promise: Promise<unknown>): Promise<CodedError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CodedError);
  return error as CodedError;
}

const answering = (status: number, body: string) =>
  serve((_request, response) => response.writeHead(status).end(body));
const refusal = (id: string, status: number) =>
  JSON.stringify({ id, message: secret, detailed_error: secret, request_id: "x", status_code: status });

describe("a call", () => {
  it("sends token and body to the path below the base address, and drops unknown fields of the answer", async () => {
    let seen = "";
    const { mattermost } = await serve(async (request, response) => {
      const chunks = await request.setEncoding("utf8").toArray();
      seen = `${request.method} ${request.url} ${request.headers.authorization} ${chunks.join("")}`;
      response.end('{"id":"a","more":1}');
    });
    expect(await mattermost.as(PAT).call("PUT", "/things", Thing, { x: 1 })).toEqual({ id: "a" });
    expect(seen).toBe(`PUT /sub/api/v4/things Bearer ${PAT} {"x":1}`);
  });

  it.each([
    [400, "api.context.invalid_body_param.app_error", "invalid_request"],
    [401, "api.context.session_expired.app_error", "unauthorized"],
    [403, "api.context.permissions.app_error", "forbidden"],
    [404, "app.channel.get.existing.app_error", "not_found"],
    [404, "api.context.404.app_error", "backend_unreachable"],
    [413, "api.too_large", "payload_too_large"],
    [429, "rate", "overloaded"],
    [500, "app.broken", "backend_unreachable"],
    [501, "api.off", "backend_unreachable"],
    [503, "api.context.server_busy.app_error", "backend_unreachable"],
  ])("answered %d %s fails with %s", async (status, id, code) => {
    const { mattermost } = await answering(status, refusal(id, status));
    const error = await failure(mattermost.as(PAT).call("GET", "/things", Thing));
    expect(error.code).toBe(code);
    expect(isRefusal(error, id)).toBe(true);
    expect(isRefusal(error, "other.id")).toBe(false);
    expect(error.message + String(error.cause)).not.toContain("secret");
  });

  it.each([401, 403])(
    "with the gateway's own token that gets a %d fails with backend_unreachable",
    async (status) => {
      const { mattermost } = await answering(status, refusal("api.context.permissions.app_error", status));
      expect((await failure(mattermost.asAdmin(PAT).call("GET", "/things", Thing))).code).toBe(
        "backend_unreachable",
      );
    },
  );

  it.each([
    [200, "<html>it works</html>"],
    [200, ""],
    [200, '{"other":1}'],
    [302, ""],
    [401, "<html>login</html>"],
    [404, "not here"],
    [502, "<html>bad gateway</html>"],
  ])("answered %d with nonsense %j fails with backend_unreachable", async (status, body) => {
    const { mattermost } = await answering(status, body);
    expect((await failure(mattermost.as(PAT).call("GET", "/things", Thing))).code).toBe(
      "backend_unreachable",
    );
  });

  it("over its deadline, before or during the answer, fails with backend_timeout", async () => {
    const silent = await serve(() => undefined, 100);
    expect((await failure(silent.mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe("backend_timeout");
    const stuck = await serve((_request, response) => response.writeHead(200).write('{"id":'), 100);
    expect((await failure(stuck.mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe("backend_timeout");
  });

  it("whose answer drips in still times out", async () => {
    const { mattermost } = await serve((_request, response) => {
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(drip));
    }, 150);
    expect((await failure(mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe("backend_timeout");
  });

  it("fails with backend_unreachable when cut off or refused", async () => {
    const cut = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      response.socket?.destroy();
    });
    expect((await failure(cut.mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe("backend_unreachable");
    const gone = await serve(() => undefined);
    gone.server.close();
    await once(gone.server, "close");
    expect((await failure(gone.mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe(
      "backend_unreachable",
    );
  });

  it("with an endless answer is abandoned", async () => {
    const { mattermost } = await serve((_request, response) => {
      const chunk = Buffer.alloc(1 << 20, 32);
      const pour = () => {
        while (response.write(chunk));
        response.once("drain", pour);
      };
      pour();
    });
    expect((await failure(mattermost.as(PAT).call("GET", "/x", Thing))).code).toBe("backend_unreachable");
  });

  it.each([
    ["reads an answer of up to 32 MiB", 32 * 1024 * 1024, undefined],
    ["abandons an answer over 32 MiB", 32 * 1024 * 1024 + 1, "backend_unreachable"],
  ])("%s", async (_, bytes, code) => {
    const { mattermost } = await serve(
      (_request, response) => response.end('{"id":"a"}'.padEnd(bytes)),
      20_000,
    );
    const answer = mattermost.as(PAT).call("GET", "/x", Thing);
    if (code === undefined) expect(await answer).toEqual({ id: "a" });
    else expect((await failure(answer)).code).toBe(code);
  });

  it("ends when its caller aborts", async () => {
    const { mattermost } = await serve(() => undefined);
    const gone = new AbortController();
    const call = mattermost.as(PAT, gone.signal).call("GET", "/x", Thing);
    gone.abort(new Error("gone"));
    await expect(call).rejects.toThrow("gone");
    await expect(mattermost.as(PAT, gone.signal).call("GET", "/x", Thing)).rejects.toThrow("gone");
  });

  it("ends when its caller aborts, even while it waits for a connection", async () => {
    const { mattermost } = await serve(() => undefined);
    let ended = 0;
    const others = Array.from({ length: 64 }, async () => {
      await failure(mattermost.as(PAT).call("GET", "/x", Thing));
      ended += 1;
    });
    const gone = new AbortController();
    const call = mattermost.as(PAT, gone.signal).call("GET", "/x", Thing);
    gone.abort(new Error("gone"));
    await expect(call).rejects.toThrow("gone");
    expect(ended).toBe(0);
    await Promise.all(others);
  });

  it("for a caller's own answer parses it once while it repeats, apart from those of others", async () => {
    let version = 1;
    const { mattermost } = await serve(({ headers }, response) =>
      response.end(JSON.stringify({ id: `${headers.authorization} ${version}` })),
    );
    const others = "o".repeat(26);
    const read = (pat: string) => mattermost.as(pat).readOwn("/users/me", Thing);
    const [one, other] = [await read(PAT), await read(others)];
    expect([one, other]).toEqual([{ id: `Bearer ${PAT} 1` }, { id: `Bearer ${others} 1` }]);
    expect(await read(PAT)).toBe(one);
    expect(await read(others)).toBe(other);
    version = 2;
    expect(await read(PAT)).toEqual({ id: `Bearer ${PAT} 2` });
  });

  it("that only reads parses an answer to all callers once while it repeats, apart for each body", async () => {
    const seen: string[] = [];
    const { mattermost } = await serve(async (request, response) => {
      const body = (await request.setEncoding("utf8").toArray()).join("");
      seen.push(`${request.method} ${body}`);
      response.end(`{"id":${body || '"none"'}}`);
    });
    const read = (caller: string, body?: string) => mattermost.as(caller).read("/things", Thing, body);
    const first = await read(PAT, "a");
    expect(await read("q".repeat(26), "a")).toBe(first);
    expect([await read(PAT, "b"), await read(PAT)]).toEqual([{ id: "b" }, { id: "none" }]);
    expect(await read(PAT, "a")).toBe(first);
    expect(seen).toEqual(['POST "a"', 'POST "a"', 'POST "b"', "GET ", 'POST "a"']);
  });

  it("of the gateway's own that only reads stores no answer", async () => {
    const { mattermost } = await answering(200, '{"id":"a"}');
    const admin = mattermost.asAdmin(PAT);
    const first = await admin.read("/things", Thing);
    expect(await admin.read("/things", Thing)).not.toBe(first);
  });

  it("reuses connections", async () => {
    let connections = 0;
    const { server, mattermost } = await serve((_request, response) => response.end('{"id":"a"}'));
    server.on("connection", () => {
      connections += 1;
    });
    for (let n = 0; n < 20; n += 1) await mattermost.as(PAT).call("GET", "/x", Thing);
    expect(connections).toBeLessThan(4);
  });
});

describe("a stream", () => {
  it("passes on bytes and headers", async () => {
    const { mattermost } = await serve((_request, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end("bytes"),
    );
    const { status, header, body } = await mattermost.as(PAT).stream("/x", {});
    expect([status, header("content-type")]).toEqual([200, "image/png"]);
    expect(await readText(body)).toBe("bytes");
  });

  it("waits for its receiver, and waits again whenever the receiver has no room", async () => {
    const { mattermost } = await serve((_request, response) => response.end("x".repeat(300_000)));
    const { body, ended } = await mattermost.as(PAT).stream("/x", {});
    const sizes: number[] = [];
    let tellEnd: (outcome: string) => void = () => undefined;
    const end = new Promise<string>((resolve) => {
      tellEnd = resolve;
    });
    body.begin({
      chunk(bytes) {
        sizes.push(bytes.byteLength);
        setImmediate(() => {
          sizes.push(0);
          body.resume();
        });
        return false;
      },
      end: () => tellEnd("end"),
      fail: () => tellEnd("failure"),
    });
    expect(await end).toBe("end");
    await ended;
    expect(sizes.filter((_, index) => index % 2 === 1).every((size) => size === 0)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300_000);
  });

  it("reuses the connection of an answer without a body", async () => {
    let connections = 0;
    const { server, mattermost } = await serve((_request, response) => response.writeHead(304).end());
    server.on("connection", () => {
      connections += 1;
    });
    for (let n = 0; n < 5; n += 1) {
      await (await mattermost.as(PAT).stream("/x", {})).ended;
      // undici uses a connection again from the event loop's next turn on.
      await nextTurn();
    }
    expect(connections).toBe(1);
  });

  it("closes the connection of an abandoned answer", async () => {
    const { server, mattermost } = await serve((_request, response) => response.writeHead(200).write("by"));
    const left = once(server, "connection").then(([socket]) => once(socket, "close"));
    const { body, ended } = await mattermost.as(PAT).stream("/x", {});
    body.cancel();
    await ended;
    await left;
  });

  it("fails when its caller leaves before its body is read", async () => {
    const gone = new Departure();
    const { mattermost } = await serve((_request, response) => response.writeHead(200).write("by"));
    const { body, ended } = await mattermost.as(PAT, gone).stream("/x", {}, { bodyTimeoutMs: 60_000 });
    gone.abort();
    await ended;
    await expect(readText(body)).rejects.toThrow();
  });

  it("passes on 304, and maps refusals as calls do", async () => {
    const { mattermost } = await serve((request, response) => {
      if (request.headers["if-none-match"] === "1") response.writeHead(304).end();
      else response.writeHead(404).end(refusal("app.user.missing_account.const", 404));
    });
    expect((await mattermost.as(PAT).stream("/x", { "if-none-match": "1" })).status).toBe(304);
    expect((await failure(mattermost.as(PAT).stream("/x", {}))).code).toBe("not_found");
  });

  it("breaks off when its source stops", async () => {
    const { mattermost } = await serve((_request, response) => response.writeHead(200).write("by"), 150);
    const { body } = await mattermost.as(PAT).stream("/x", {});
    await expect(readText(body)).rejects.toThrow();
  });
});
