import { expect, it } from "vitest";
import { describeMattermost } from "./support/world.ts";

function pingOf(bytes: number): string {
  const empty = JSON.stringify({ seq: 77, action: "ping", data: { pad: "" } });
  return JSON.stringify({ seq: 77, action: "ping", data: { pad: "x".repeat(bytes - empty.length) } });
}

describeMattermost("websocket: limits", (world) => {
  it("a frame of 8192 bytes is accepted", async () => {
    const listener = await world.listen(await world.person());
    listener.send(pingOf(8_192));
    expect((await listener.find((frame) => frame.seq_reply === 77)).status).toBe("OK");
  });

  it("a frame of 8193 bytes closes with 1009", async () => {
    const listener = await world.listen(await world.person());
    listener.send(pingOf(8_193));
    expect(await listener.closed).toBe(1009);
  });

  it.each([
    ["text that is no JSON", "hello"],
    ["an array", "[]"],
    ["a number", "5"],
    ["a number as text", '{"seq":"1","action":"ping"}'],
    ["a fractional number", '{"seq":1.5,"action":"ping"}'],
    ["an action that is no text", '{"seq":1,"action":5}'],
    ["data that is no object", '{"seq":1,"action":"ping","data":[]}'],
  ])("a client that sends %s is disconnected without a close frame", async (_what, text) => {
    const listener = await world.listen(await world.person());
    listener.send(text);
    expect(await listener.closed).toBe(1006);
  });

  it("a client that sends malformed binary data is cut", async () => {
    const listener = await world.listen(await world.person());
    listener.socket.send(Buffer.from([0xc1, 0xff]), { binary: true });
    expect(await listener.closed).toBe(1006);
  });

  it("a message of 16383 characters is delivered whole", async () => {
    const bob = await world.person();
    const channel = await world.channel([bob]);
    const listener = await world.listen(bob);
    await world.post(bob, channel.id, "y".repeat(16_383));
    const posted = await listener.event("posted", (frame) => frame.data.post.includes("yyyy"));
    expect(JSON.parse(posted.data.post).message).toHaveLength(16_383);
  });

  it("a close frame is answered with the same code", async () => {
    const listener = await world.listen(await world.person());
    listener.socket.close(4_001);
    expect(await listener.closed).toBe(4_001);
  });
});
