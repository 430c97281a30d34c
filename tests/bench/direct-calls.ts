import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import type { BackendCall } from "./record-calls.ts";

/**
 * Makes the backend calls of one gateway request, in the same groups, and answers with a text of the same
 * size: the minimal cost of the same answer in Node.
 */
const { groups, answer, origins } = JSON.parse(process.argv[2] ?? "{}") as {
  groups: BackendCall[][];
  answer: string;
  origins: Record<string, string>;
};
const pools = new Map(
  Object.entries(origins).map(([name, origin]) => [name, new Pool(origin, { connections: 64 })]),
);

async function call({ to, method, path, body, headers }: BackendCall): Promise<void> {
  const { body: received } =
    (await pools.get(to)?.request({ method, path, headers, ...(body !== "" && { body }) })) ?? {};
  await received?.json();
}

const server = createServer((incoming, outgoing) => {
  incoming.resume();
  const run = async () => {
    for (const group of groups) await Promise.all(group.map(call));
    outgoing.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(answer),
    });
    outgoing.end(answer);
  };
  run().catch(() => outgoing.destroy());
});
server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
