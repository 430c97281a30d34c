import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { createClient } from "redis";

type Reply = { result: unknown } | { error: string };

export type UpstashBridge = {
  url: string;
  token: string;
  /** Executes this many of the next requests, but cuts off their answers. */
  loseAnswers(count: number): void;
  /** The commands that reached Redis, by their first word. */
  commands: string[];
  close(): Promise<void>;
};

/**
 * Starts a bridge from Upstash's REST form of Redis to a real redis-server: `/`, `/pipeline` and
 * `/multi-exec`.
 */
export async function startUpstashBridge(redisUrl: string): Promise<UpstashBridge> {
  const token = "upstash-bridge-token";
  const redis = createClient({ url: redisUrl });
  redis.on("error", () => {});
  await redis.connect();
  const commands: string[] = [];
  let answersToLose = 0;

  const run = async (command: unknown): Promise<Reply> => {
    if (!Array.isArray(command) || command.length === 0) return { error: "ERR invalid command" };
    const words = command.map((word) => (typeof word === "object" ? JSON.stringify(word) : String(word)));
    commands.push(String(words[0]).toUpperCase());
    try {
      return { result: await redis.sendCommand(words) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };

  const answer = async (request: IncomingMessage): Promise<[status: number, body: unknown]> => {
    if (request.headers.authorization !== `Bearer ${token}`) return [401, { error: "Unauthorized" }];
    if (request.method !== "POST") return [405, { error: "ERR only POST is served here" }];
    const encode = request.headers["upstash-encoding"] === "base64" ? encodeReply : (reply: Reply) => reply;
    const body: unknown = JSON.parse(await text(request));
    if (request.url === "/") {
      const reply = encode(await run(body));
      return ["error" in reply ? 400 : 200, reply];
    }
    if (request.url === "/pipeline" && Array.isArray(body))
      return [200, await Promise.all(body.map(async (command) => encode(await run(command))))];
    if (request.url === "/multi-exec" && Array.isArray(body)) {
      const multi = redis.multi();
      for (const command of body as unknown[][]) multi.addCommand(command.map(String));
      return [200, (await multi.exec()).map((result) => encode({ result }))];
    }
    return [404, { error: "ERR no such path" }];
  };

  const server = createServer((request, response) => {
    void answer(request)
      .catch((error: Error): [number, unknown] => [500, { error: error.message }])
      .then(([status, body]) => {
        if (answersToLose > 0) {
          answersToLose -= 1;
          request.socket.destroy();
          return;
        }
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    commands,
    loseAnswers(count) {
      answersToLose = count;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      if (redis.isOpen) redis.destroy();
    },
  };
}

function encodeReply(reply: Reply): Reply {
  return "error" in reply || reply.result === "OK" ? reply : { result: encodeValue(reply.result) };
}

function encodeValue(value: unknown): unknown {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("base64");
  return Array.isArray(value) ? value.map(encodeValue) : value;
}
