import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readText } from "#lib/async/read-body.ts";

describe("the text of a stream", () => {
  test("contains characters whose bytes are in two chunks", async () => {
    const bytes = Buffer.from("aé€");
    const stream = Readable.from([bytes.subarray(0, 2), bytes.subarray(2, 4), bytes.subarray(4)]);
    expect(await readText(stream, bytes.length)).toBe("aé€");
  });

  test("is null beyond the limit, and the stream is destroyed", async () => {
    const stream = new PassThrough();
    stream.write(Buffer.alloc(2));
    stream.write(Buffer.alloc(2));
    expect(await readText(stream, 3)).toBe(null);
    expect(stream.destroyed).toBe(true);
  });

  test("is not returned if the stream fails", async () => {
    const stream = new PassThrough();
    stream.write("half");
    const text = readText(stream, 100);
    stream.destroy(new Error("reset"));
    await expect(text).rejects.toThrow("reset");
  });

  test("is not returned if the stream closes without an end or an error", async () => {
    const stream = new PassThrough();
    stream.write("half");
    const text = readText(stream, 100);
    stream.destroy();
    await expect(text).rejects.toThrow("closed before its end");
  });

  test("is not awaited from a stream that has already failed", async () => {
    const stream = new PassThrough();
    stream.on("error", () => {});
    stream.destroy(new Error("reset"));
    await new Promise((resolve) => stream.once("close", resolve));
    await expect(readText(stream, 100)).rejects.toThrow("reset");
  });
});
