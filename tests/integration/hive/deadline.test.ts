import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "ab".repeat(32);

let collecting: NodeJS.Timeout;
beforeEach(() => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collecting = setInterval(collect, 20);
});
afterEach(() => clearInterval(collecting));

test("a call to a hanging node ends at its deadline even during garbage collection", async () => {
  const node = await startScriptedNode(chainId, () => "hang");
  const client = createHiveClient({ nodes: [node.url], chainId, timeoutMs: 150 });
  await expect(client.broadcast({})).rejects.toMatchObject({ code: "chain_unavailable" });
  await client.close();
  await node.close();
});
