import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgreeOptions } from "../../../lib/hive/agree-among.ts";
import type { ChainReader } from "../../../lib/hive/chain-reader.ts";
import { askedFor, clientOf, nodeThat } from "../../harness/hive-nodes.ts";

describe("agreement of two nodes", () => {
  const say = (word: string) => nodeThat(() => ({ result: word }));
  const away = () => nodeThat(() => "cut");
  const refusing = () => nodeThat(() => ({ error: { code: -32003, message: "no" } }));
  const agree = async (nodes: Array<Promise<{ url: string }>>, options?: AgreeOptions<string>) =>
    clientOf(await Promise.all(nodes)).agree((node) => node.read("test.call", [], z.string()), options);
  const unknown = { code: "chain_unavailable", status: 503 };

  test("returns their common answer", async () => {
    expect(await agree([say("yes"), say("yes")])).toEqual(["yes", "yes"]);
  });

  test("lets a third node decide when two nodes differ", async () => {
    expect(await agree([say("lie"), say("yes"), say("yes")])).toEqual(["yes", "yes"]);
    expect(await agree([say("yes"), say("lie"), say("yes")])).toEqual(["yes", "yes"]);
  });

  test("fails when two nodes differ and no third node decides", async () => {
    await expect(agree([say("lie"), say("yes")])).rejects.toMatchObject(unknown);
    await expect(agree([say("lie"), say("yes"), away()])).rejects.toMatchObject(unknown);
    await expect(agree([say("lie"), say("yes"), say("what")])).rejects.toMatchObject(unknown);
  });

  test("asks the next node when one refuses or does not answer", async () => {
    expect(await agree([away(), say("yes"), say("yes")])).toEqual(["yes", "yes"]);
    expect(await agree([say("yes"), refusing(), say("yes")])).toEqual(["yes", "yes"]);
  });

  test("fails when only one of two nodes answers", async () => {
    await expect(agree([say("yes"), away()])).rejects.toMatchObject(unknown);
    await expect(agree([refusing(), say("yes")])).rejects.toMatchObject(unknown);
  });

  test("trusts one node if only one is configured", async () => {
    expect(await agree([say("yes")])).toEqual(["yes"]);
  });

  test("trusts one node if the caller allows it and no second node answers", async () => {
    expect(await agree([away(), say("yes")], { isOneEnough: true })).toEqual(["yes"]);
    await expect(agree([say("lie"), say("yes")], { isOneEnough: true })).rejects.toMatchObject(unknown);
  });

  test("counts only one answer from a host and port, even under two paths", async () => {
    const liar = await say("lie");
    const honest = await say("yes");
    const again = { url: `${liar.url}/again` };
    const client = clientOf([liar, again, honest]);
    expect(client.health()).toHaveLength(2);
    const read = (node: ChainReader) => node.read("test.call", [], z.string());
    await expect(client.agree(read)).rejects.toMatchObject(unknown);
    expect(await clientOf([liar, again]).agree(read)).toEqual(["lie"]);
  });

  test("asks a second node only when the first one's answer requires it", async () => {
    const nodes = [await say("yes"), await say("yes")];
    const client = clientOf(nodes);
    const read = (node: ChainReader) => node.read("test.call", [], z.string());
    expect(await client.agree(read, { needsSecond: (word) => word === "no" })).toEqual(["yes"]);
    expect(nodes.map((node) => askedFor(node))).toEqual([1, 0]);
    expect(await client.agree(read, { needsSecond: (word) => word === "yes" })).toEqual(["yes", "yes"]);
    expect(nodes.map((node) => askedFor(node))).toEqual([2, 1]);
  });
});
