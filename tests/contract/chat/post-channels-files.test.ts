import { once } from "node:events";
import { request } from "node:http";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import { sendPicture } from "../../harness/send-picture.ts";
import type { Person } from "../../harness/start-chat-world.ts";
import { pngOf } from "../../harness/start-picture-server.ts";

const MiB = 1024 * 1024;

describe("POST /channels/{channel_id}/files", async () => {
  const { world, alice, bob } = await openChatWorld("alice", "bob");

  const send = (who: Person, channelId: string, body: Uint8Array | string, options = {}) =>
    sendPicture(world, who, "files", { channelId, body, ...options });

  it("accepts a picture that a post then shows to the channel's readers", async () => {
    const room = await world.makeChannel([alice, bob]);
    const { status, body } = await send(alice, room, pngOf("valley"));
    expect(status).toBe(200);
    expect(body.file).toMatchObject({
      name: "valley.png",
      size: pngOf("valley").byteLength,
      mime_type: "image/png",
      width: 128,
      height: 128,
    });
    const posted = await alice.api("POST", `/channels/${room}/posts`, {
      message: "",
      fileIds: [body.file.id],
    });
    expect(posted.status).toBe(200);
    expect(posted.body.post.file_ids).toEqual([body.file.id]);
    const page = await bob.api("GET", `/channels/${room}/posts`);
    expect(page.body.posts.at(-1)).toMatchObject({
      message: "",
      file_ids: [body.file.id],
      metadata: { files: [{ id: body.file.id, name: "valley.png", mime_type: "image/png" }] },
    });
  });

  it("passes a picture on only when it is complete, without delaying another member's upload", async () => {
    const room = await world.makeChannel([alice]);
    await alice.api("GET", "/me");
    await send(alice, room, pngOf("warm"));
    world.proxy.forget();
    const url = new URL(`${world.gateway.url}/api/chat/channels/${room}/files?name=slow.png`);
    const headers = { authorization: `Bearer ${alice.pat}`, "content-type": "image/png" };
    const bytes = pngOf("slow");
    const open = Array.from({ length: 4 }, () => {
      const sent = request(url, { method: "POST", headers });
      const answered = once(sent, "response").then(([answer]) => answer.resume().statusCode);
      sent.write(bytes.subarray(0, 100));
      return { sent, answered };
    });
    // While alice's four uploads trickle in, another member's upload passes.
    const other = await world.makeChannel([bob]);
    expect((await send(bob, other, pngOf("quick"))).status).toBe(200);
    expect(world.proxy.calls().filter((call) => call === "POST /files")).toHaveLength(1);
    for (const { sent } of open) sent.end(bytes.subarray(100));
    expect(await Promise.all(open.map(({ answered }) => answered))).toEqual([200, 200, 200, 200]);
    expect(world.proxy.calls().filter((call) => call === "POST /files")).toHaveLength(5);
  });

  it.each(["jpeg", "png", "webp", "avif"] as const)(
    "strips location and camera from a picture (%s), and turns its pixels upright",
    async (format) => {
      const room = await world.makeChannel([alice]);
      const taken = await sharp({ create: { width: 40, height: 20, channels: 3, background: "#884422" } })
        .withExif({
          IFD0: { Model: "a camera of hers" },
          IFD3: { GPSLatitudeRef: "N", GPSLatitude: "48/1 12/1 30/1" },
        })
        .withMetadata({ orientation: 6 })
        .toFormat(format)
        .toBuffer();
      expect(taken.includes("a camera of hers")).toBe(true);
      const { status, body } = await send(alice, room, taken, { type: `image/${format}` });
      expect(status).toBe(200);
      const answer = await fetch(`${world.gateway.url}/api/chat/files/${body.file.id}`, {
        headers: { authorization: `Bearer ${alice.pat}` },
      });
      const passed = Buffer.from(await answer.arrayBuffer());
      expect(passed.includes("a camera of hers")).toBe(false);
      const { exif, xmp, orientation = 1, width, height } = await sharp(passed).metadata();
      expect([exif, xmp, orientation]).toEqual([undefined, undefined, 1]);
      if (format !== "avif") expect([width, height]).toEqual([20, 40]);
    },
  );

  const made = (format: "png" | "gif" | "webp" | "jpeg") =>
    sharp({ create: { width: 40, height: 20, channels: 3, background: "#884422" } })
      .toFormat(format)
      .toBuffer();
  const words = Buffer.from("where she lives");
  const pngChunk = (type: string) => {
    const chunk = Buffer.alloc(12 + words.byteLength);
    chunk.writeUInt32BE(words.byteLength);
    chunk.write(type, 4);
    words.copy(chunk, 8);
    return chunk;
  };
  const within = (bytes: Buffer, at: number, part: Buffer) =>
    Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);

  it.each([
    ["after the pixels of a PNG", "png", (png: Buffer) => within(png, png.length - 12, pngChunk("eXIf"))],
    [
      "in a text after the pixels of a PNG",
      "png",
      (png: Buffer) => within(png, png.length - 12, pngChunk("tEXt")),
    ],
    ["in an unknown chunk", "png", (png: Buffer) => within(png, 33, pngChunk("prVt"))],
    ["after the end of a PNG", "png", (png: Buffer) => Buffer.concat([png, words])],
    [
      "in a comment of a GIF",
      "gif",
      (gif: Buffer) =>
        within(
          gif,
          gif.length - 1,
          Buffer.concat([Buffer.from([0x21, 0xfe, words.length]), words, Buffer.alloc(1)]),
        ),
    ],
    [
      "in a WebP whose header does not announce it",
      "webp",
      (webp: Buffer) => {
        const head = Buffer.from("EXIF\0\0\0\0\0");
        head.writeUInt32LE(words.length, 4);
        const whole = Buffer.concat([webp, head.subarray(0, 8), words, Buffer.alloc(words.length % 2)]);
        whole.writeUInt32LE(whole.length - 8, 4);
        return whole;
      },
    ],
    [
      "in a comment of a JPEG",
      "jpeg",
      (jpeg: Buffer) =>
        within(jpeg, 2, Buffer.concat([Buffer.from([0xff, 0xfe, 0, words.length + 2]), words])),
    ],
    ["after the end of a JPEG", "jpeg", (jpeg: Buffer) => Buffer.concat([jpeg, words])],
  ] as const)("strips metadata %s and leaves the rest unchanged", async (_, format, put) => {
    const room = await world.makeChannel([alice]);
    const plain = await made(format);
    expect(put(plain).includes(words)).toBe(true);
    const { status, body } = await send(alice, room, put(plain), { type: `image/${format}` });
    expect(status).toBe(200);
    const answer = await fetch(`${world.gateway.url}/api/chat/files/${body.file.id}`, {
      headers: { authorization: `Bearer ${alice.pat}` },
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(plain)).toBe(true);
  });

  /** Sends a picture, and returns the copy that its readers receive. */
  const passedOn = async (picture: Buffer, type: string) => {
    const room = await world.makeChannel([alice]);
    const { status, body } = await send(alice, room, picture, { type });
    expect(status).toBe(200);
    const answer = await fetch(`${world.gateway.url}/api/chat/files/${body.file.id}`, {
      headers: { authorization: `Bearer ${alice.pat}` },
    });
    return Buffer.from(await answer.arrayBuffer());
  };
  const avifBox = (type: string, ...content: Buffer[]) => {
    const box = Buffer.concat([Buffer.from(`\0\0\0\0${type}`), ...content]);
    box.writeUInt32BE(box.length);
    return box;
  };
  /** A picture that is red on the left and blue on the right. A second frame has the colours reversed. */
  const twoColours = (frames: 1 | 2) =>
    sharp(
      Buffer.from(
        Array.from({ length: frames * 800 * 3 }, (_, index) => {
          const pixel = Math.floor(index / 3);
          const isRed = pixel % 40 < 20 === pixel < 800;
          return (isRed ? [255, 0, 0] : [0, 0, 255])[index % 3] ?? 0;
        }),
      ),
      { raw: { width: 40, height: frames * 20, channels: 3, pageHeight: 20 } },
    );
  /** Returns the displayed size, and which of the two colours is at the top left. */
  const looksOf = async (picture: Buffer) => {
    const { data, info } = await sharp(picture).autoOrient().raw().toBuffer({ resolveWithObject: true });
    return [info.width, info.height, (data[0] ?? 0) > (data[2] ?? 0) ? "red" : "blue"];
  };

  it.each([
    ["in a box after the pixels", (avif: Buffer) => Buffer.concat([avif, avifBox("uuid", words)])],
    [
      "in the box of a sequence",
      (avif: Buffer) => Buffer.concat([avif, avifBox("moov", avifBox("udta", words))]),
    ],
    ["after its end", (avif: Buffer) => Buffer.concat([avif, words])],
    [
      "in EXIF that belongs to no picture in it",
      async () => {
        const avif = await twoColours(1)
          .withExif({ IFD0: { Model: words.toString() } })
          .avif()
          .toBuffer();
        avif.write("thmb", avif.indexOf("cdsc"));
        return avif;
      },
    ],
  ] as const)("strips metadata %s from an AVIF", async (_, put) => {
    const taken = await put(await twoColours(1).avif().toBuffer());
    expect(taken.includes(words)).toBe(true);
    const passed = await passedOn(taken, "image/avif");
    expect(passed.includes(words)).toBe(false);
    expect(await looksOf(passed)).toEqual(await looksOf(taken));
  });

  it("leaves the bytes of a single-picture AVIF unchanged", async () => {
    const plain = await twoColours(1).avif().toBuffer();
    expect((await passedOn(plain, "image/avif")).equals(plain)).toBe(true);
  });

  it("refuses AVIF sequences and HEIF files", async () => {
    const room = await world.makeChannel([alice]);
    for (const brand of ["avis", "msf1", "hevc", "heic", "mif1"]) {
      const sequence = await twoColours(1).avif().toBuffer();
      sequence.write(brand, 8);
      const answer = await send(alice, room, sequence, { type: "image/avif" });
      expect([brand, answer.status, answer.body.code]).toEqual([brand, 415, "unsupported_media_type"]);
    }
  });

  it("keeps the rotation of an animated WebP and no other metadata", async () => {
    const taken = await twoColours(2)
      .withExif({ IFD0: { Model: words.toString() } })
      .withMetadata({ orientation: 6 })
      .webp({ loop: 0, delay: [100, 100], lossless: true })
      .toBuffer();
    expect(taken.includes(words)).toBe(true);
    const passed = await passedOn(taken, "image/webp");
    expect(passed.includes(words)).toBe(false);
    const { pages, orientation, exif } = await sharp(passed).metadata();
    expect([pages, orientation, exif?.length]).toEqual([2, 6, 26]);
    expect(await looksOf(passed)).toEqual(await looksOf(taken));
  });

  const xmpChunk = Buffer.concat([Buffer.from("XMP \x0f\0\0\0"), words, Buffer.alloc(1)]);
  const framed = (content: Buffer) => {
    const head = Buffer.from("ANMF\0\0\0\0");
    head.writeUInt32LE(16 + content.length, 4);
    return Buffer.concat([head, Buffer.alloc(16), content]);
  };
  const nested = (depth: number): Buffer => (depth === 0 ? xmpChunk : framed(nested(depth - 1)));

  it.each([
    ["metadata", xmpChunk],
    ["another frame", framed(xmpChunk)],
    ["a thousand nested frames", nested(1000)],
  ])("strips %s from a frame of an animated WebP", async (_what, hidden) => {
    const plain = await twoColours(2)
      .webp({ loop: 0, delay: [100, 100], lossless: true })
      .toBuffer();
    const frame = plain.indexOf("ANMF") + 4;
    const size = plain.readUInt32LE(frame);
    const taken = within(plain, frame + 4 + size, hidden);
    taken.writeUInt32LE(size + hidden.length, frame);
    taken.writeUInt32LE(taken.length - 8, 4);
    expect((await passedOn(taken, "image/webp")).equals(plain)).toBe(true);
  });

  it("strips EXIF from an animated PNG, and turns its pixels upright", async () => {
    const taken = await twoColours(1)
      .withExif({ IFD0: { Model: words.toString() } })
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    const animated = within(
      taken,
      33,
      Buffer.from("\0\0\0\x08acTL\0\0\0\x01\0\0\0\0\xb9\x3d\xd9\x17", "latin1"),
    );
    expect(animated.includes(words)).toBe(true);
    const passed = await passedOn(animated, "image/png");
    expect([passed.includes(words), ...(await looksOf(passed))]).toEqual([false, ...(await looksOf(taken))]);
  });

  it("strips XMP from an animated GIF", async () => {
    const gif = await twoColours(2)
      .gif({ loop: 0, delay: [100, 100] })
      .toBuffer();
    const magic = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]);
    const xmp = Buffer.concat([Buffer.from("\x21\xff\x0bXMP DataXMP", "latin1"), words, magic]);
    const passed = await passedOn(within(gif, gif.length - 1, xmp), "image/gif");
    expect(passed.equals(gif)).toBe(true);
  });

  it("keeps the frames of an animation", async () => {
    const room = await world.makeChannel([alice]);
    const raw = { width: 40, height: 40, channels: 3, pageHeight: 20 } as const;
    const animation = await sharp(
      Buffer.from(Array.from({ length: 40 * 40 * 3 }, (_, index) => (index * 7919) % 251)),
      { raw },
    )
      .withExif({ IFD0: { Model: "a camera of hers" } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    const { status, body } = await send(alice, room, animation, { type: "image/webp" });
    expect(status).toBe(200);
    const answer = await fetch(`${world.gateway.url}/api/chat/files/${body.file.id}`, {
      headers: { authorization: `Bearer ${alice.pat}` },
    });
    const passed = Buffer.from(await answer.arrayBuffer());
    expect(passed.includes("a camera of hers")).toBe(false);
    const pixelsOf = (bytes: Buffer) => sharp(bytes, { animated: true }).raw().toBuffer();
    expect((await pixelsOf(passed)).equals(await pixelsOf(animation))).toBe(true);
  });

  it("refuses a GIF whose first frame is larger than browsers can show, even if its head declares a smaller size", async () => {
    const room = await world.makeChannel([alice]);
    const huge = await made("gif");
    const frame = huge.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0, 40, 0, 20, 0]));
    huge.writeUInt16LE(65_535, frame + 5);
    huge.writeUInt16LE(65_535, frame + 7);
    const { status, body } = await send(alice, room, huge, { type: "image/gif" });
    expect([status, body.code, body.issues?.[0]?.path]).toEqual([400, "invalid_request", "body"]);
  });

  it("leaves the bytes of a picture without metadata unchanged", async () => {
    const room = await world.makeChannel([alice]);
    const { body } = await send(alice, room, pngOf("plain"));
    expect(body.file.size).toBe(pngOf("plain").byteLength);
  });

  it("refuses a picture that claims more pixels than browsers can show", async () => {
    const room = await world.makeChannel([alice]);
    const huge = Buffer.from(pngOf("huge"));
    huge.writeUInt32BE(65_535, 16);
    huge.writeUInt32BE(65_535, 20);
    const { status, body } = await send(alice, room, huge);
    expect([status, body.code, body.issues?.[0]?.path]).toEqual([400, "invalid_request", "body"]);
  });

  it("names the file with its type's extension and without folders", async () => {
    const room = await world.makeChannel([alice]);
    const named = async (name: string) => (await send(alice, room, pngOf("n"), { name })).body.file.name;
    expect(await named("../../etc/passwd")).toMatch(/^[^/\\]*passwd\.png$/);
    expect(await named("page.html")).toBe("page.html.png");
    expect(await named("VALLEY.PNG")).toBe("VALLEY.PNG");
  });

  it("refuses files whose bytes or type are not a picture's, without a Mattermost call", async () => {
    const room = await world.makeChannel([alice]);
    await send(alice, room, pngOf("warm"));
    world.proxy.forget();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    for (const [body, type] of [
      [svg, "image/svg+xml"],
      [svg, "image/png"],
      ["<html>hello, this is a page</html>", "image/png"],
      [pngOf("typed"), "text/html"],
      ["", "image/png"],
    ] as const) {
      const answer = await send(alice, room, body, { type });
      expect([type, answer.status, answer.body.code]).toEqual([type, 415, "unsupported_media_type"]);
    }
    expect(world.proxy.calls()).toEqual([]);
  });

  it("accepts up to 10 MiB, and returns 413 for more, whether or not the length is declared", async () => {
    const room = await world.makeChannel([alice]);
    const whole = Buffer.concat([pngOf("large"), Buffer.alloc(10 * MiB)]);
    expect((await send(alice, room, whole.subarray(0, 10 * MiB))).status).toBe(200);
    const url = new URL(`${world.gateway.url}/api/chat/channels/${room}/files?name=large.png`);
    const answerTo = (length: Record<string, number>, bytes: Uint8Array) =>
      new Promise<string>((resolve) => {
        const headers = { authorization: `Bearer ${alice.pat}`, "content-type": "image/png", ...length };
        const sent = request(url, { method: "POST", headers }, (answer) => {
          let text = "";
          answer.on("data", (part) => {
            text += part;
          });
          answer.on("end", () => resolve(`${answer.statusCode} ${JSON.parse(text).code}`));
        });
        sent.on("error", () => undefined);
        sent.write(bytes);
      });
    expect(await answerTo({ "content-length": 10 * MiB + 1 }, whole.subarray(0, 100))).toBe(
      "413 payload_too_large",
    );
    expect(await answerTo({}, whole)).toBe("413 payload_too_large");
  });

  it("returns 404 for an unknown channel and 403 for non-members", async () => {
    const closed = await world.makeChannel([alice], { type: "P" });
    expect((await send(bob, closed, pngOf("b"))).status).toBe(403);
    expect((await send(bob, "z".repeat(26), pngOf("b"))).status).toBe(404);
  });

  it("omits other people's files from a post, and returns 400 for an empty post or more than ten files", async () => {
    const room = await world.makeChannel([alice, bob]);
    const { body } = await send(alice, room, pngOf("hers"));
    const stolen = await bob.api("POST", `/channels/${room}/posts`, {
      message: "mine",
      fileIds: [body.file.id],
    });
    expect([stolen.status, stolen.body.post.metadata?.files ?? []]).toEqual([200, []]);
    for (const given of [{ message: "" }, { message: "x", fileIds: Array(11).fill("f".repeat(26)) }])
      expect((await alice.api("POST", `/channels/${room}/posts`, given)).status).toBe(400);
  });

  it("refuses a post without a text whose files are unknown, another user's or in a post already", async () => {
    const room = await world.makeChannel([alice, bob]);
    const { body } = await send(alice, room, pngOf("once"));
    const own = { message: " ", fileIds: ["f".repeat(26), body.file.id] };
    const posts = `/channels/${room}/posts`;
    expect(await bob.api("POST", posts, own)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", issues: [{ path: "fileIds" }] },
    });
    expect((await alice.api("POST", posts, own)).body.post.file_ids).toEqual([body.file.id]);
    for (const fileIds of [own.fileIds, ["f".repeat(26)]])
      expect((await alice.api("POST", posts, { message: "", fileIds })).status).toBe(400);
    const page = await bob.api("GET", posts);
    const messages = page.body.posts.filter(({ type }: { type: string }) => type === "");
    expect(messages).toMatchObject([{ file_ids: [body.file.id] }]);
  });

  it("posts a picture without a text by 2 Mattermost calls, or a third if Mattermost does not find it at once", async () => {
    const room = await world.makeChannel([alice]);
    const ids: string[] = [];
    for (const name of ["first", "second"]) ids.push((await send(alice, room, pngOf(name))).body.file.id);
    await alice.api("GET", "/me");
    for (const [index, calls] of [2, 3].entries()) {
      let isFound = index === 0;
      world.proxy.forget();
      world.proxy.treat(({ path }) => {
        if (isFound || !path.endsWith("/info")) return "pass";
        isFound = true;
        return { status: 404, text: JSON.stringify({ id: "app.file_info.get.app_error", status_code: 404 }) };
      });
      const posted = await alice.api("POST", `/channels/${room}/posts`, {
        message: "",
        fileIds: [ids[index]],
      });
      expect(posted.body.post.file_ids).toEqual([ids[index]]);
      expect(world.proxy.calls()).toHaveLength(calls);
    }
    world.proxy.treat(() => "pass");
  });

  it("returns the same post for a repeated picture without a text", async () => {
    const room = await world.makeChannel([alice]);
    const { body } = await send(alice, room, pngOf("again"));
    const { id } = (await alice.api("GET", "/me")).body.user;
    const given = { message: "", fileIds: [body.file.id], pendingPostId: `${id}:${Date.now()}` };
    const [first, second] = [
      await alice.api("POST", `/channels/${room}/posts`, given),
      await alice.api("POST", `/channels/${room}/posts`, given),
    ];
    expect(second.body.post).toEqual(first.body.post);
    expect(first.body.post.file_ids).toEqual([body.file.id]);
  });
});
